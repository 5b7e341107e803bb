"""Queries whose results are temporal: a relation over events in, the same over their elements out.

A query whose result has a start becomes one of inserts. Selections and projections of a temporal stream stay temporal:
they take elements as they come, since what they look at is the same in all elements of an event.
"""

from collections.abc import Iterable
from dataclasses import replace
from datetime import timedelta

from punctum.algebra.schema import Schema
from punctum.algebra.values import Type
from punctum.errors import Place, SqlError, choices
from punctum.ir.elements import ADJUST, EVENT, FROM, HIDDEN, TIMES, VE, VOLD, VS, payload_of
from punctum.ir.expressions import Column, Expression, Literal, columns, rebased, type_text
from punctum.ir.functions import call
from punctum.ir.relations import Filter, Projection, Source
from punctum.ir.temporal import Cleansed, Final, LMerge, Opened
from punctum.ir.tree import Relation

Moved = list[int]
"""For each column of a relation over events, the column over elements that has it."""


def inserts_only(relation: Relation) -> bool:
    """Whether the elements of a relation are inserts alone."""
    match relation:
        case Source(stream=stream):
            return stream.temporal is not None and stream.temporal.insert_only
        case Filter():
            return inserts_only(relation.input)
        case LMerge():
            return all(map(inserts_only, relation.merged))
        case Opened():
            return False
        case Cleansed():
            return True
        case Projection():
            _, adjust = relation.columns[relation.schema.index(ADJUST)]
            return (
                adjust == Literal(False, Type.BOOLEAN) if isinstance(adjust, Literal) else inserts_only(relation.input)
            )
        case _:  # rows of all others are no elements
            raise AssertionError(relation)


def elements_of(relation: Relation, place: Place) -> Relation:
    """The elements of which a relation shows the events when they are final; an error when it is another one."""
    lifted = _lifted(relation)
    if lifted is None:
        hint = "elements come from a temporal stream through WHERE and SELECT only; name other parts of a query with "
        raise SqlError("the result is not a temporal stream", "", hint + "CREATE TEMPORAL STREAM … AS SELECT", place)
    return lifted[0]


def temporal_of(relation: Relation, place: Place) -> Relation:
    """The elements of a query's result: those of the temporal stream that it selects from, or an insert for a row."""
    lifted = _lifted(relation)
    return _inserts(relation, place) if lifted is None else lifted[0]


def _lifted(relation: Relation) -> tuple[Relation, Moved] | None:
    """Selections and projections over elements instead of events, and where the columns are there."""
    if isinstance(relation, Final):
        return relation.input, list(range(len(relation.schema)))
    if not isinstance(relation, Filter | Projection) or (lifted := _lifted(relation.input)) is None:
        return None
    below, moved = lifted
    if isinstance(relation, Filter):
        return replace(relation, input=below, predicate=_over(relation.predicate, below, moved)), moved
    width = len(payload_of(below.schema))
    chosen: list[tuple[str, Expression]] = []
    places: Moved = []
    for name, expression in relation.columns:
        at = moved[expression.index] - width if isinstance(expression, Column) else -1
        if 0 <= at < len(EVENT) and name == EVENT[at]:
            places.append(-1 - at)
        else:
            places.append(len(chosen))
            chosen.append((name, _over(expression, below, moved)))
    _checked([name for name, _ in chosen], relation.place)
    chosen += [(name, _column(below.schema, width + i)) for i, name in enumerate(HIDDEN)]
    payload = len(chosen) - len(HIDDEN)
    return Projection(below, tuple(chosen), relation.place), [at if at >= 0 else payload - 1 - at for at in places]


def _over(expression: Expression, below: Relation, moved: Moved) -> Expression:
    """An expression of events over elements; the end of an event is none of its elements' columns."""
    for column in columns(expression):
        if below.schema.names[moved[column.index]] == VE:
            detail = "an event may have several elements, and only the last one has its final end"
            raise SqlError(f"{VE} is not known before an event is final", detail, f"use {VS}", column.place)
    return rebased(expression, lambda column: _column(below.schema, moved[column.index]))


def _inserts(relation: Relation, place: Place) -> Relation:
    """An insert for each row; a row without an end is a point, which lasts for one unit of time."""
    schema = relation.schema
    if VS not in schema.names:
        hint = f"name a column {VS}: SELECT ts AS {VS}, …"
        raise SqlError(f"the result has no start column {VS}", choices(schema.names), hint, place)
    start = _column(schema, schema.index(VS))
    if start.type not in TIMES:
        hint = f"supported: {', '.join(t.value for t in TIMES)}"
        raise SqlError(f"{VS} cannot be {type_text(start.attribute)}", "", hint, place)
    if start.nullable:
        raise SqlError(f"{VS} may be NULL", "", "declare its column NOT NULL, or PUNCTUATED ON (… ASC)", place)
    payload = [(a.name, _column(schema, i)) for i, a in enumerate(schema.attributes) if a.name not in EVENT]
    _checked([name for name, _ in payload], place)
    if not payload:
        raise SqlError("the result has no payload", "", f"select more columns than {VS}", place)
    end: Expression = call("+", (start, _tick(start.type)), place)
    if VE in schema.names:
        end = _column(schema, schema.index(VE))
        if end.type is not start.type:
            raise SqlError(f"{VS} and {VE} have different types", "", "CAST one to the type of the other", place)
    never = Literal(None, start.type)
    hidden = ((VS, start), (VE, end), (VOLD, never), (ADJUST, Literal(False, Type.BOOLEAN)), (FROM, start))
    return Projection(relation, (*payload, *hidden), place)


def _tick(kind: Type) -> Literal:
    """One unit of a time."""
    if kind is Type.BIGINT:
        return Literal(1, kind)
    return Literal(timedelta(days=1) if kind is Type.DATE else timedelta(microseconds=1), Type.INTERVAL)


def _checked(names: Iterable[str], place: Place) -> None:
    for name in names:
        if name.lower() in HIDDEN:
            raise SqlError(f"{name} is a column of every temporal stream", "", "rename it with AS", place)


def _column(schema: Schema, i: int) -> Column:
    return Column(i, schema.names[i], schema.attributes[i])
