"""How a function is defined: one entry has what it takes and gives, what it means, and how Polars computes it.

An entry's signature is text, the same that the reference page shows: ``lpad(text STRING, length BIGINT, [pad STRING])
-> STRING``. What stands in brackets may be left out, ``…`` repeats the last parameter, CONSTANT is a literal. Beside
SQL's types there are these::

    NUMBER     BIGINT, DOUBLE or DECIMAL, as it is       TIME    DATE, TIMESTAMP or TIMESTAMP_NTZ, as local time
    DOUBLE     any number                                CLOCK   the same without DATE
    DATE       any time, or a literal text               T       any type, all arguments taken to one
    A|B        one of these, as it is                    ANY     any type, as it is
    UNIT       HOUR, MINUTE, …, with or without quotes

A function is NULL where an argument is, unless it is ``total``: then its meaning is asked with NULLs, too.
"""

from __future__ import annotations  # Polars is not loaded where a script is only compiled

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from punctum.algebra.schema import Attribute
from punctum.algebra.trends import Trend
from punctum.algebra.values import Type
from punctum.errors import Place, SqlError
from punctum.ir.expressions import Call, Expression, Literal, kind, like, mismatch
from punctum.ir.expressions.types import NUMBERS, TIMES, alike, converted, is_null, local_time
from punctum.ir.functions.later import pl

Args = tuple[Expression, ...]
Kernel = Callable[..., "pl.Expr | None"]
Step = tuple[bool, Trend]
"""Whether a function of one column is injective there, and which way its order goes."""
RISING: Step = (False, Trend.INCREASING)
EXACT: Step = (True, Trend.INCREASING)
FALLING: Step = (True, Trend.DECREASING)
APART: Step = (True, Trend.NEITHER)
NEITHER: Step = (False, Trend.NEITHER)


@dataclass(frozen=True)
class Parameter:
    """What a function takes at one place."""

    name: str
    takes: str
    constant: bool
    optional: bool


@dataclass(frozen=True)
class Scalar:
    """A function of the values of one row.

    ``meaning`` takes Python values; ``kernel`` takes Polars expressions, and Python values for constants and at the
    places in ``plain``. Without a kernel, or when it gives None, the meaning is asked once for each distinct
    combination of arguments. An entry with a ``rule`` stands for another expression.
    """

    written: str
    description: str
    meaning: Callable[..., Any] | None = None
    kernel: Kernel | None = None
    also: tuple[str, ...] = ()
    rule: Callable[[Args, Place], Expression] | None = None
    total: bool = False
    maybe: bool = False
    """It may be NULL where no argument is."""
    wide: bool = False
    """The kernel gives whole numbers of 128 bits, which the type of the result may not hold."""
    fails: bool = False
    """There may be no value, which the kernel does not see."""
    close: bool = False
    """The last digits of a DOUBLE depend on who computes it."""
    plain: tuple[int, ...] = ()
    step: Step | Callable[[Call, int], Step] | None = None
    """How punctuations on its first argument, or on the column at a place, pass it, all others being literals."""

    @cached_property
    def name(self) -> str:
        """What SQL calls it."""
        return self.written.split("(")[0]

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """What it takes, in order."""
        inside = self.written[self.written.index("(") + 1 : self.written.rindex(")")]
        parts = [part for part in re.split(r", ?", inside) if part and part != "…"]
        return tuple(_parameter(part) for part in parts)

    @cached_property
    def repeats(self) -> bool:
        """Whether the last parameter may come many times."""
        return "…" in self.written

    @cached_property
    def gives(self) -> str:
        """The type of its result."""
        return self.written.rsplit(" -> ", 1)[1]

    def parameter(self, at: int) -> Parameter:
        """What it takes at a place."""
        return self.parameters[min(at, len(self.parameters) - 1)]

    def passing(self, call: Call, at: int) -> Step:
        """How punctuations on the column at a place pass a call of it."""
        if isinstance(self.step, tuple):
            return self.step if at == 0 else NEITHER
        return NEITHER if self.step is None else self.step(call, at)

    def bound(self, args: Args, place: Place) -> Expression:
        """The function of some arguments, which are checked and cast."""
        taken = self.taken(args, place)
        shared = [at for at in range(len(taken)) if self.parameter(at).takes == "T"]
        if shared:
            one = dict(zip(shared, alike(self.name.upper(), tuple(taken[at] for at in shared), place), strict=True))
            taken = tuple(one.get(at, arg) for at, arg in enumerate(taken))
        if self.rule is not None:
            return self.rule(taken, place)
        return self.made(taken, place)

    def taken(self, args: Sequence[Expression], place: Place) -> Args:
        """The arguments, checked and cast."""
        self._count(len(args), place)
        return tuple(self._taken(at, arg, place) for at, arg in enumerate(args))

    def made(self, args: Args, place: Place) -> Call:
        """The call of arguments that are as they should be."""
        nullable = self.maybe or (not self.total and any(arg.nullable for arg in args))
        if self.gives == "ELEMENT":
            return Call(self.name, args, like(args[0].attribute.parts[0], True), place)
        if self.gives == "ARRAY<STRING>":
            texts = Attribute("", Type.ARRAY, parts=(Attribute("element", Type.STRING),))
            return Call(self.name, args, like(texts, nullable), place)
        if self.gives in ("T", "NUMBER"):
            of = next(arg for at, arg in enumerate(args) if self.parameter(at).takes == self.gives)
            return Call(self.name, args, kind(of.type, nullable, of.attribute.digits), place)
        return Call(self.name, args, kind(Type(self.gives), nullable), place)

    def _count(self, given: int, place: Place) -> None:
        least = sum(not parameter.optional for parameter in self.parameters)
        if given < least or (given > len(self.parameters) and not self.repeats):
            detail = f"there {'is' if given == 1 else 'are'} {given}"
            what = f"{self.name.upper()} takes another number of arguments"
            raise SqlError(what, detail, f"it is {self.written}", place)

    def _taken(self, at: int, arg: Expression, place: Place) -> Expression:
        parameter = self.parameter(at)
        if parameter.constant and (not isinstance(arg, Literal) or arg.value is None):
            what = f"{self.name.upper()} takes a literal as its {parameter.name}"
            raise mismatch(what, place, f"it is {self.written}", arg)
        made = taken(parameter.takes, arg)
        if made is None:
            takes = parameter.takes.replace("|", " or ")
            hint = f"it takes {takes} as its {parameter.name}" + _HOW.get(parameter.takes, "")
            raise mismatch(f"{self.name.upper()} does not take this type", place, hint, arg)
        return made


FUNCTIONS: dict[str, Scalar] = {}
"""All functions by their names and by what else they are called; ``table.py`` fills it."""
_HOW = {
    "STRING": "; write CAST(… AS STRING)",
    "TIME": ": DATE, TIMESTAMP or TIMESTAMP_NTZ",
    "CLOCK": ": TIMESTAMP or TIMESTAMP_NTZ",
    "NUMBER": ": BIGINT, DOUBLE or DECIMAL",
}


def _parameter(part: str) -> Parameter:
    name, takes, *constant = part.strip("[]").split(" ")
    return Parameter(name, takes, bool(constant), part.startswith("["))


def taken(takes: str, arg: Expression) -> Expression | None:
    """An argument as what a parameter takes, or nothing when it is of another type."""
    if takes in ("T", "ANY"):
        return arg
    if takes == "ARRAY":
        return arg if arg.type is Type.ARRAY else None
    if arg.type.nested:
        return None
    if "|" in takes:
        types = [Type(one) for one in takes.split("|")]
        return arg if arg.type in types else _typed(arg, types[0]) if is_null(arg) else None
    if takes in ("TIME", "CLOCK"):
        fits = arg.type in TIMES[takes == "CLOCK" :] or is_null(arg)
        return local_time(_typed(arg, Type.TIMESTAMP_NTZ)) if fits else None
    if takes == "NUMBER":
        return _typed(arg, Type.BIGINT) if arg.type in NUMBERS or is_null(arg) else None
    wanted = Type.STRING if takes == "UNIT" else Type(takes)
    if arg.type is wanted or is_null(arg):
        return _typed(arg, wanted)
    text = isinstance(arg, Literal) and arg.type is Type.STRING
    if (wanted is Type.DOUBLE and arg.type in NUMBERS) or (wanted is Type.DATE and (arg.type in TIMES or text)):
        return converted(arg, kind(wanted, True))
    return None


def _typed(arg: Expression, wanted: Type) -> Expression:
    """NULL with a type."""
    return replace(arg, type=wanted) if isinstance(arg, Literal) and arg.value is None else arg


def constant(arg: Expression) -> Any:
    """The value of a literal."""
    assert isinstance(arg, Literal)
    return arg.value
