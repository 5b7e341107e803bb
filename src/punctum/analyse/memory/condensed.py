"""Parts of a query that run on synopses, because bounded memory is enough for them.

In: a relation. Out: when it is a select-project-join in bounded memory, the streams as its operator reads them, behind
all conditions that follow for each alone, and the query over their columns.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from punctum.algebra.schema import Schema
from punctum.algebra.values import Type, Value
from punctum.analyse.memory.bounded import failure
from punctum.analyse.memory.conjunctions import Written, written
from punctum.analyse.memory.lto import leaving_out, redundant, stood_in
from punctum.analyse.memory.synopses import answer_rows, answers, carried
from punctum.analyse.memory.verdict import MemoryVerdict, of_query, synopsis_text
from punctum.ir.conjunctive.axes import At
from punctum.ir.conjunctive.orders import Comparison
from punctum.ir.conjunctive.spj import Aggregated, Spj
from punctum.ir.expressions import Call, Column, Expression, Literal, conjunction, kind, rebased
from punctum.ir.flatten import LeafColumn, at_of, placed
from punctum.ir.relations import Filter, Projection, Source
from punctum.ir.tree import Relation


@dataclass(frozen=True)
class SynopsisPart:
    """A relation on synopses."""

    relation: Relation
    written: Written
    memory: MemoryVerdict

    @property
    def empty(self) -> bool:
        """Whether no row fulfils its conditions, so that nothing has to be read."""
        return not self.written.query.order.satisfiable

    @cached_property
    def kept(self) -> tuple[tuple[int, ...], ...]:
        """The attributes of each stream that the operator reads."""
        used = self.written.query.attributes
        everyone = range(len(self.written.streams))
        return tuple(tuple(sorted(column for i, column in used if i == stream)) or (0,) for stream in everyone)

    @cached_property
    def inputs(self) -> tuple[Relation, ...]:
        """The streams, filtered by what follows for each alone, with the attributes that are read."""
        return tuple(self._input(stream) for stream in range(len(self.written.streams)))

    def _input(self, stream: int) -> Relation:
        query, source = self.written.query, Source(self.written.streams[stream])
        conditions = [*_implied(query, stream), *self.written.local.get(stream, ())]
        predicate = conjunction([self._over(condition, source.schema) for condition in conditions])
        below: Relation = source if predicate is None else Filter(source, predicate)
        schema = query.streams[stream].schema
        kept = self.kept[stream]
        if kept == tuple(range(len(source.schema))):
            return below
        made = ((schema.names[i], self._over(_column(query, (stream, i)), source.schema)) for i in kept)
        return Projection(below, tuple(made))

    def _over(self, expression: Expression, schema: Schema) -> Expression:
        """An expression over one stream, over the columns that the stream brings."""
        own = self.written.own(expression)
        return rebased(own, lambda column: _plain(schema, at_of(column)[1]))

    @cached_property
    def query(self) -> Spj:
        """The query over the columns of the inputs."""
        query = self.written.query
        streams = tuple(
            replace(stream, schema=Schema(tuple(stream.schema.attributes[i] for i in self.kept[n])))
            for n, stream in enumerate(query.streams)
        )
        return replace(
            query,
            streams=streams,
            compared=tuple(Comparison(self.moved(a), op, self.moved(b)) for a, op, b in query.compared),
            within={self.moved(at): pattern for at, pattern in query.within.items()},
            shown=tuple(map(self.moved, query.shown)),
            aggregates=None if query.aggregates is None else tuple(map(self._call, query.aggregates)),
            mixed=tuple(frozenset(map(self.moved, ats)) for ats in query.mixed),
        )

    @property
    def residual(self) -> Expression | None:
        """The conditions on several streams that are no comparison of attributes, over the inputs' columns."""
        whole = conjunction([self.written.own(condition) for condition in self.written.mixed])
        if whole is None:
            return None
        return rebased(whole, lambda column: _moved(column, self.moved(at_of(column))))

    def moved(self, at: At) -> At:
        """Where an attribute is in the inputs."""
        return at[0], self.kept[at[0]].index(at[1])

    def _call(self, call: Aggregated) -> Aggregated:
        of, only = (None if at is None else self.moved(at) for at in (call.of, call.filter))
        return replace(call, of=of, filter=only)

    @property
    def shown(self) -> tuple[Expression, ...]:
        """The columns of the relation, or of what it groups by, over the shown attributes."""
        query = self.written.query
        at = {at: n for n, at in enumerate(query.shown)}
        return tuple(rebased(expression, lambda column: self._shown(column, at)) for expression in self.written.columns)

    def _shown(self, column: Column, at: dict[At, int]) -> Expression:
        if at_of(column) in at:
            return placed(column, at[at_of(column)])
        own = self.written.own(column)
        return rebased(own, lambda inner: placed(inner, at[at_of(inner)]))

    @property
    def carried(self) -> tuple[dict[int, int], ...]:
        """For each input its columns that one of the relation's columns must equal, with the first such one."""
        shown = {e.index: n for n, e in reversed(list(enumerate(self.shown))) if isinstance(e, Column)}
        return tuple({at: shown[n] for at, n in columns.items() if n in shown} for columns in carried(self.query))

    @property
    def texts(self) -> Iterator[tuple[str, str]]:
        """What is remembered, and how much that is, in words."""
        if self.empty:
            return
        for synopsis in self.memory.synopses:
            yield synopsis.query.streams[synopsis.stream].name, f"{_number(synopsis.values)}: {synopsis_text(synopsis)}"
        query, compared = self.written.query, self.written.compared
        if stored := answers(query):
            yield "the answer", _number(stored)
        if compared:
            yield "the columns of the answer", _number(answer_rows(query) * compared)


def condensed(relation: Relation) -> SynopsisPart | None:
    """The relation on synopses, when it needs only bounded memory and operators can do it."""
    form = written(relation)
    if form is None or form.top not in (None, relation):
        return None
    if not form.query.order.satisfiable:
        return SynopsisPart(relation, form, of_query(form.query))
    if form.query.stateless:
        return None
    while failure(form.query) is not None:
        if not form.query.eliminating or (pair := redundant(form.query)) is None:
            return None
        form = _without(form, *pair)
    query = form.query
    made = SynopsisPart(relation, form, of_query(query))
    return made if _runs(made) else None


def _without(form: Written, gone: int, by: int) -> Written:
    """What is written, with one occurrence of a stream in the place of another one."""

    def moved(column: Column) -> Column:
        return _moved(column, stood_in(at_of(column), gone, by))

    streams = (*form.streams[:gone], *form.streams[gone + 1 :])
    columns = tuple(rebased(expression, moved) for expression in form.columns)
    return replace(form, query=leaving_out(form.query, gone, by), streams=streams, columns=columns)


def _runs(made: SynopsisPart) -> bool:
    query = made.written.query
    return query.aggregates is None or made.written.direct


def _implied(query: Spj, stream: int) -> Iterator[Expression]:
    """What follows for the rows of a stream by themselves, as conditions."""
    mine = [at for at in query.order.attributes if at[0] == stream]
    for at in mine:
        yield from _inside(query, at)
    for a, b in ((a, b) for a in mine for b in mine if a != b):
        op = query.order.implied(a, b)
        by_place = query.order.range(a).high < query.order.range(b).low
        if op is not None and not by_place and not (op == "=" and a > b) and not _nullable(query, (a, b)):
            yield Call(op, (_column(query, a), _column(query, b)), kind(Type.BOOLEAN, True))


def _nullable(query: Spj, ats: Iterable[At]) -> bool:
    return any(query.nullable(at) for at in ats)


def _inside(query: Spj, at: At) -> Iterator[Expression]:
    """That an attribute is where it can be, which a NULL is only when it is allowed."""
    column, boolean = _column(query, at), kind(Type.BOOLEAN, True)
    ranges = list(_ranged(query, at))
    null = Call("is null", (column,), kind(Type.BOOLEAN, False))
    if query.nullable(at):
        whole = conjunction(ranges)
        if whole is not None:
            yield Call("or", (whole, null), boolean)
    else:
        yield from ranges
        if not ranges and column.nullable:
            yield Call("not", (null,), kind(Type.BOOLEAN, False))


def _ranged(query: Spj, at: At) -> Iterator[Expression]:
    places, axis, column = query.order.range(at), query.order.axes[at], _column(query, at)

    def compare(op: str, *values: Value) -> Call:
        digits = column.attribute.digits
        return Call(op, (column, *(Literal(v, column.type, digits) for v in values)), kind(Type.BOOLEAN, True))

    if places.only is not None:
        yield compare("in", *(axis.values(place, 1)[0] for place in places.only))  # type: ignore[index]
        return
    if not axis.at:
        return
    if places.low == places.high and not axis.endless(places.low):
        yield compare("=", axis.values(places.low, 1)[0])  # type: ignore[index]
        return
    low, high = axis.ends(places)
    if low is not None:
        yield compare(*low)
    if high is not None:
        yield compare(*high)


def _column(query: Spj, at: At) -> Column:
    attribute = query.attribute(at)
    return LeafColumn(at[1], attribute.name, attribute, leaf=at[0])


def _moved(column: Column, at: At) -> LeafColumn:
    return LeafColumn(at[1], column.name, column.attribute, column.place, at[0])


def _plain(schema: Schema, i: int) -> Column:
    return Column(i, schema.names[i], schema.attributes[i])


def _number(values: int) -> str:
    return "1 value" if values == 1 else f"{values} values"
