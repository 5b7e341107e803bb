"""The memory paper's queries in its own notation, as values; the attributes are integers unless a type is written."""

import random
import re

from punctum.algebra.aggregates import Function
from punctum.algebra.pattern import Pattern, between, constant, one_of
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
from punctum.ir.conjunctive.axes import At
from punctum.ir.conjunctive.orders import Comparison
from punctum.ir.conjunctive.spj import Aggregated, Occurrence, Spj

_PARTS = re.compile(r"(\S+?)\s*(<=|>=|<|>|=| in )\s*(.+)")
_TURNED = {"<": "<", "<=": "<=", "=": "=", ">": "<", ">=": "<="}


def spj(streams: str, conditions: str = "", shows: str = "", distinct: bool = False, aggregates: str = "") -> Spj:
    """A query from text: ``spj("S(A,B) T(C)", "A=10, B<C", "A")``; S#1(A) and S#2(A) are one stream twice."""
    declared = [(name, columns.split(",")) for name, columns in re.findall(r"([\w#]+)\(([\w,: ]*)\)", streams)]
    made = tuple(Occurrence(name, name.split("#")[0], Schema(tuple(map(_attribute, c)))) for name, c in declared)
    where = {
        key: (i, j)
        for i, (name, c) in enumerate(declared)
        for j, a in enumerate(c)
        for key in (_bare(a), f"{name}.{_bare(a)}")
    }
    compared, within = _conditions(conditions, where, made)
    shown = tuple(where[name] for name in shows.split(",") if name)
    calls = re.findall(r"(\w+)\(([\w#.]*)\)", aggregates)
    functions = tuple(Aggregated(Function(f.replace("_", " ")), where.get(of)) for f, of in calls)
    return Spj(made, compared, within, shown, distinct, functions if aggregates else None)


def _bare(written: str) -> str:
    return written.split(":")[0].strip()


def _attribute(written: str) -> Attribute:
    name, _, kind = written.strip().partition(":")
    return Attribute(name, Type[kind] if kind else Type.BIGINT)


def _conditions(
    text: str, where: dict[str, At], streams: tuple[Occurrence, ...]
) -> tuple[tuple[Comparison, ...], dict[At, Pattern]]:
    compared, within = [], dict[At, Pattern]()
    for condition in filter(None, map(str.strip, text.split(","))):
        match = _PARTS.fullmatch(condition)
        assert match is not None, condition
        left, op, right = match.groups()
        if left in where and right in where:
            pair = (where[left], where[right]) if op in ("<", "<=", "=") else (where[right], where[left])
            compared.append(Comparison(pair[0], _TURNED[op], pair[1]))
        else:
            at = where[left]
            kind = streams[at[0]].schema.attributes[at[1]].type
            pattern = _pattern(op.strip(), right, kind)
            within[at] = within[at].meet(pattern) if at in within else pattern
    return tuple(compared), within


def _pattern(op: str, written: str, kind: Type) -> Pattern:
    values = [kind.accept(float(v) if kind is Type.DOUBLE else int(v)) for v in written.split(";")]
    match op:
        case "in":
            return one_of(values)
        case "=":
            return constant(values[0])
        case "<" | "<=":
            return between(None, values[0], "()" if op == "<" else "(]")
        case _:
            return between(values[0], None, "()" if op == ">" else "[)")


def random_query(chance: random.Random, function: str = "") -> Spj:
    """Up to three streams with six attributes in all, of whole or of real numbers, and up to six conditions.

    It may have an aggregate of some attribute.
    """
    kind, sizes = chance.choice(["BIGINT", "DOUBLE"]), [9]
    while sum(sizes) > 6:
        sizes = [chance.randint(1, 3) for _ in range(chance.randint(1, 3))]
    names = iter("ABCDEF")
    owned = [[next(names) for _ in range(size)] for size in sizes]
    streams = " ".join(f"{'STU'[i]}({','.join(f'{a}:{kind}' for a in names)})" for i, names in enumerate(owned))
    attributes = [name for mine in owned for name in mine]
    conditions = ", ".join(_random_condition(chance, attributes) for _ in range(chance.randint(0, 6)))
    shows = chance.choice(attributes) if chance.random() < 0.15 else ""
    if function:
        return spj(streams, conditions, shows, aggregates=f"{function}({chance.choice(attributes)})")
    return spj(streams, conditions, shows, chance.random() < 0.6)


def random_self_join(chance: random.Random) -> Spj:
    """A stream two or three times, each row of the result once."""
    names = [f"S#{i}" for i in range(1, chance.randint(3, 4))]
    attributes = [f"{name}.{a}" for name in names for a in "AB"]
    conditions = [_random_condition(chance, attributes) for _ in range(chance.randint(1, 4))]
    conditions += [f"S#1.{a}=S#2.{a}" for a in "AB" if chance.random() < 0.5]
    shows = chance.choice(attributes) if chance.random() < 0.5 else ""
    return spj(" ".join(f"{name}(A,B)" for name in names), ", ".join(conditions), shows, True)


def _random_condition(chance: random.Random, attributes: list[str]) -> str:
    op = chance.choice(["<", "<", "<", ">", ">", "=", "<=", ">="])
    if chance.random() < 0.75 and len(attributes) > 1:
        left, right = chance.sample(attributes, 2)
        return f"{left}{op}{right}"
    if chance.random() < 0.25:
        listed = ";".join(map(str, chance.sample(range(6), chance.randint(2, 3))))
        return f"{chance.choice(attributes)} in {listed}"
    return f"{chance.choice(attributes)}{op}{chance.randint(0, 5)}"
