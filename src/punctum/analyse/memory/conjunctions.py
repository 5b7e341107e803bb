"""A relation as a select-project-join query with at most one DISTINCT or grouping, as the memory paper sees it.

In: a relation. Out: the query, or nothing when it has another form. Selections, projections, joins and named streams
become one list of conditions over base streams; what stands above the DISTINCT or the grouping needs no memory.

A column that is computed from one stream is one more attribute of it. A condition on one stream that is no comparison
is passed over, for it can be checked when a row comes; one on several streams needs all attributes that it reads. What
such attributes and conditions are stands beside the query, as expressions over columns of leaves, which are streams.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from punctum.algebra.pattern import NULL, Pattern
from punctum.algebra.schema import Attribute, Schema
from punctum.algebra.values import Type
from punctum.analyse.predicates import pattern_of
from punctum.ir.conjunctive.axes import At
from punctum.ir.conjunctive.orders import Comparison
from punctum.ir.conjunctive.spj import Aggregated, Occurrence, Spj
from punctum.ir.definitions import StreamDef
from punctum.ir.expressions import Call, Column, Expression, Literal, columns, conjuncts, kind, rebased, text
from punctum.ir.flatten import LeafColumn, at_of, flatten, leaf_column
from punctum.ir.names import fresh
from punctum.ir.relations import Aggregate, Distinct, Filter, Join, Projection, Source
from punctum.ir.tree import Relation

_OPS = {"<": "<", "<=": "<=", "=": "=", ">": "<", ">=": "<="}


@dataclass(frozen=True)
class Written:
    """A query and what else a relation has: each stream, its computed attributes, and conditions of other forms.

    ``columns`` are those of the relation, below a DISTINCT or a grouping if there is one, which is ``top``. Conditions
    in ``local`` are on one stream, those in ``mixed`` on several.
    """

    query: Spj
    streams: tuple[StreamDef, ...]
    computed: Mapping[str, tuple[Expression, ...]]
    local: Mapping[int, tuple[Expression, ...]]
    mixed: tuple[Expression, ...]
    columns: tuple[Expression, ...]
    top: Aggregate | Distinct | None

    @property
    def direct(self) -> bool:
        """Whether each column is a shown attribute, so that rows are equal exactly when the shown attributes are."""
        shown = set(self.query.shown)
        return all(isinstance(column, LeafColumn) and column.at in shown for column in self.columns)

    @property
    def compared(self) -> int:
        """How many columns have to be compared with those of earlier rows, since shown attributes do not decide it."""
        return len(self.columns) if self.query.distinct and not self.direct else 0

    def own(self, expression: Expression) -> Expression:
        """An expression over columns that streams bring: computed attributes are written out."""
        return rebased(expression, self._brought)

    def _brought(self, column: Column) -> Expression:
        stream, at = at_of(column)
        given = len(self.streams[stream].schema)
        if at < given:
            return column
        made = self.computed[self.streams[stream].name][at - given]
        return self.own(rebased(made, lambda own: LeafColumn(own.index, own.name, own.attribute, leaf=stream)))


class _OtherFormError(Exception):
    """A relation that is no select-project-join query."""


@dataclass(frozen=True)
class _Made:
    """A column of a relation: the attributes that it reads, the one that it is, if it is one, and the expression."""

    reads: frozenset[At]
    at: At | None
    whole: Expression


@dataclass
class _ConditionReader:
    """The streams and conditions read so far; ``computed`` are the further attributes of each base stream."""

    streams: list[StreamDef] = field(default_factory=list)
    computed: dict[str, list[Expression]] = field(default_factory=dict)
    compared: list[Comparison] = field(default_factory=list)
    within: dict[At, Pattern] = field(default_factory=dict)
    mixed: list[tuple[frozenset[At], Expression]] = field(default_factory=list)
    local: dict[int, list[Expression]] = field(default_factory=dict)

    def leaf(self, relation: Relation) -> list[_Made]:
        """The columns of a stream; the query has another form when a leaf is none."""
        if not isinstance(relation, Source):
            raise _OtherFormError
        self.streams.append(relation.stream)
        number = len(self.streams) - 1
        own = [leaf_column(number, relation, i) for i in range(len(relation.schema))]
        return [_Made(frozenset([column.at]), column.at, column) for column in own]

    def select(self, below: list[_Made], relation: Filter) -> list[_Made]:
        """What a selection demands is noted."""
        self.conditions(relation.predicate, below)
        return below

    def project(self, below: list[_Made], relation: Projection) -> list[_Made]:
        """The columns of a projection."""
        return [self.column(expression, below) for _, expression in relation.columns]

    def join(self, left: list[_Made], right: list[_Made], relation: Join) -> list[_Made]:
        """What a join demands is noted."""
        for a, b in relation.on:
            self.compare(left[a.index], "=", right[b.index])
        if relation.residual is not None:
            self.conditions(relation.residual, left + right)
        return left + right

    def column(self, expression: Expression, below: list[_Made]) -> _Made:
        """A computed column; one of a single stream becomes an attribute of it."""
        if isinstance(expression, Column):
            return below[expression.index]
        made = [below[column.index] for column in columns(expression)]
        reads = frozenset[At]().union(*(read.reads for read in made))
        streams = {at[0] for read in made for at in ([read.at] if read.at is not None else read.reads)}
        if len(streams) != 1 or any(read.at is None for read in made):
            return _Made(reads, None, rebased(expression, lambda column: below[column.index].whole))
        (stream,) = streams
        at = self.more(stream, rebased(expression, lambda column: self._own(below[column.index].at)))
        own = self._own(at)
        return _Made(reads, at, LeafColumn(own.index, own.name, own.attribute, leaf=stream))

    def _own(self, at: At | None) -> Column:
        assert at is not None
        schema = self.schema(at[0])
        return Column(at[1], schema.names[at[1]], schema.attributes[at[1]])

    def more(self, stream: int, expression: Expression) -> At:
        """The attribute that an expression is, in all occurrences of its stream."""
        known = self.computed.setdefault(self.streams[stream].name, [])
        if expression not in known:
            known.append(expression)
        return stream, len(self.streams[stream].schema) + known.index(expression)

    def schema(self, stream: int) -> Schema:
        """The attributes of a stream, those that are computed last."""
        given = self.streams[stream].schema.attributes
        made: list[Attribute] = []
        for expression in self.computed.get(self.streams[stream].name, []):
            taken = [a.name.lower() for a in (*given, *made)]
            made.append(replace(expression.attribute, name=fresh(text(expression), taken)))
        return Schema((*given, *made))

    def conditions(self, predicate: Expression, below: list[_Made]) -> None:
        """Note what a predicate demands."""
        for condition in conjuncts(predicate):
            if not self.pattern(condition, below) and not self.comparison(condition, below):
                self.other(condition, below)

    def pattern(self, condition: Expression, below: list[_Made]) -> bool:
        """Whether a condition compares one attribute with constants."""
        if isinstance(condition, Column):
            condition = Call("=", (condition, Literal(True, Type.BOOLEAN)), condition.attribute, condition.place)
        args = [arg for arg in condition.args if not isinstance(arg, Literal)]
        if not isinstance(condition, Call) or len(args) != 1:
            return False
        computed = condition.op in (*_OPS, "in")
        of = args[0] if computed else next(columns(args[0]), None)
        at = None if of is None else self.column(of, below).at
        if at is None:
            return False
        own = self._own(at)
        whole = replace(condition, args=tuple(own if arg is args[0] else arg for arg in condition.args))
        compared = pattern_of(whole if computed else condition)
        if compared is None or compared[1] == NULL:
            return False
        self.within[at] = self.within[at].meet(compared[1]) if at in self.within else compared[1]
        return True

    def comparison(self, condition: Expression, below: list[_Made]) -> bool:
        """Whether a condition compares two attributes."""
        if not isinstance(condition, Call) or condition.op not in _OPS or len(condition.args) != 2:
            return False
        left, right = condition.args
        if isinstance(left, Literal) or isinstance(right, Literal) or left.type is not right.type:
            return False
        a, b = self.column(left, below), self.column(right, below)
        return (
            self.compare(b, _OPS[condition.op], a) if condition.op[0] == ">" else self.compare(a, _OPS[condition.op], b)
        )

    def compare(self, a: _Made, op: str, b: _Made) -> bool:
        """Note a comparison; of columns that are no attributes, what they read."""
        if a.at is None or b.at is None:
            whole = Call(op, (a.whole, b.whole), kind(Type.BOOLEAN, a.whole.nullable or b.whole.nullable))
            self.mixed.append((a.reads | b.reads, whole))
        else:
            self.compared.append(Comparison(a.at, op, b.at))
        return True

    def other(self, condition: Expression, below: list[_Made]) -> None:
        """Note any other condition."""
        reads = frozenset[At]().union(*(below[column.index].reads for column in columns(condition)))
        whole = rebased(condition, lambda column: below[column.index].whole)
        streams = {at[0] for at in reads} or {0}
        if len(streams) > 1:
            self.mixed.append((reads, whole))
        else:
            self.local.setdefault(streams.pop(), []).append(whole)

    def query(self) -> Spj:
        """The query that was read, without what it shows."""
        names = [stream.name for stream in self.streams]
        numbered = [n if names.count(n) == 1 else f"{n} #{names[: i + 1].count(n)}" for i, n in enumerate(names)]
        streams = tuple(Occurrence(numbered[i], names[i], self.schema(i)) for i in range(len(names)))
        loose = bool(self.local or self.mixed) or any(self.computed.values())
        mixed = tuple(reads for reads, _ in self.mixed)
        return Spj(streams, tuple(self.compared), dict(self.within), mixed=mixed, loose=loose)

    def written(self, query: Spj, shown: list[_Made], top: Aggregate | Distinct | None) -> Written:
        """The query with all else that was read."""
        return Written(
            query,
            tuple(self.streams),
            {name: tuple(expressions) for name, expressions in self.computed.items()},
            {stream: tuple(conditions) for stream, conditions in self.local.items()},
            tuple(whole for _, whole in self.mixed),
            tuple(column.whole for column in shown),
            top,
        )


def conjunctive(relation: Relation) -> Spj | None:
    """The select-project-join query that a relation is, if it is one."""
    form = written(relation)
    return None if form is None else form.query


def written(relation: Relation) -> Written | None:
    """The same with all else that the relation has."""
    top = _top(relation)
    reader = _ConditionReader()
    try:
        below = flatten(relation if top is None else top.input, reader, to_streams=True)
    except _OtherFormError:
        return None
    match top:
        case Aggregate():
            if not all(call.condensed for call in top.aggregates):
                return None
            keys = [below[key.index] for _, key in top.keys]
            calls = [(c.function, c.argument, c.filter) for c in top.aggregates]
            plain = [below[a.index].at for _, *both in calls for a in both if a is not None]
            if any(at is None for at in plain):
                return None
            aggregates = tuple(
                Aggregated(f, None if of is None else below[of.index].at, None if by is None else below[by.index].at)
                for f, of, by in calls
            )
            grouped = replace(reader.query(), aggregates=aggregates or None, distinct=not aggregates)
            return reader.written(_showing(grouped, keys), keys, top)
        case _:
            return reader.written(_showing(replace(reader.query(), distinct=top is not None), below), below, top)


def _top(relation: Relation) -> Aggregate | Distinct | None:
    """The DISTINCT or grouping below selections and projections."""
    while True:
        match relation:
            case Aggregate() | Distinct():
                return relation
            case Filter() | Projection():
                relation = relation.input
            case _:
                return None


def _showing(query: Spj, made: list[_Made]) -> Spj:
    """The query with its columns; a computed one that may have infinitely many values is shown as what it reads."""
    whole = replace(query, shown=tuple(column.at for column in made if column.at is not None))
    if not whole.order.satisfiable:
        return whole
    shown: list[At] = []
    for column in made:
        itself = column.at is not None and (column.reads == {column.at} or whole.order.bounded(column.at))
        shown += [column.at] if itself and column.at is not None else sorted(column.reads)
    return replace(query, shown=tuple(dict.fromkeys(shown)))
