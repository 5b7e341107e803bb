"""The query register: each query of a script is admitted or refused before it runs.

In: a script. Out: for each query the verdicts of its states, the schemes that are of no use to it, and for one that is
refused the schemes that would make it safe, and whether another form of it is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from punctum.algebra.scheme import Order
from punctum.analyse.graphs import JoinQuery, safe
from punctum.analyse.memory.verdict import MemoryVerdict, memory
from punctum.analyse.promises import Declared
from punctum.analyse.safety.advice import advice
from punctum.analyse.safety.choice import inferred
from punctum.analyse.safety.forms import Form, forms
from punctum.analyse.safety.inference import Inference
from punctum.analyse.safety.remembered import Remembered, remembered
from punctum.analyse.safety.states import states
from punctum.analyse.safety.temporal import Chosen, chosen, merges
from punctum.analyse.safety.updates import changing, closed, unable
from punctum.analyse.safety.useful import declared, useful
from punctum.analyse.safety.verdicts import OperatorState, Verdict
from punctum.errors import SchemaError, SqlError
from punctum.ir.definitions import QueryDef, Script, SinkDef, StreamDef, takes_punctuations
from punctum.ir.temporal import LMerge
from punctum.ir.tree import Relation, sources
from punctum.ir.windows import window

_UPDATES = "updates"
"""The option with which a sink writes each group, or rank, whenever it changes."""


@dataclass(frozen=True)
class QueryAnalysis:
    """A query and what is known of it before it runs."""

    query: QueryDef

    @cached_property
    def inference(self) -> Inference:
        """The facts of the query's relations."""
        return inferred(self.query.relation)

    @cached_property
    def states(self) -> tuple[OperatorState, ...]:
        """The states of all operators, each after those below it."""
        return tuple(states(self.query.relation, self.inference))

    @cached_property
    def remembered(self) -> tuple[Remembered, ...]:
        """The punctuations that its operators remember for ever."""
        return tuple(dict.fromkeys(remembered(self.query.relation, self.inference)))

    @property
    def unbounded(self) -> tuple[OperatorState, ...]:
        """The states that may grow without end."""
        return tuple(state for state in self.states if state.verdict is Verdict.UNBOUNDED)

    @property
    def safe(self) -> bool:
        """Whether every state stays bounded."""
        return not self.unbounded

    @property
    def admitted(self) -> bool:
        """Whether the query may run: it is safe, or its writer has allowed it to be unbounded."""
        return self.safe or self.query.allow_unbounded

    @property
    def bounded_memory(self) -> bool:
        """Whether it needs only bounded memory without any punctuation: by its states, or by what it asks."""
        return self._constant or self.memory.bounded

    @cached_property
    def memory(self) -> MemoryVerdict:
        """What is known of the memory that it needs without punctuations."""
        return memory(self.query.relation)

    @property
    def _constant(self) -> bool:
        return all(state.verdict in (Verdict.STATELESS, Verdict.BOUNDED) for state in self.states)

    @cached_property
    def advice(self) -> tuple[tuple[Declared, ...], ...]:
        """The smallest sets of further schemes that would make the query safe."""
        return () if self.safe else advice(self.query.relation)

    @cached_property
    def rewrites(self) -> tuple[Form, ...]:
        """Other forms of the same query that are safe as things are."""
        if self.safe:
            return ()
        safe_forms: list[Form] = []
        for form in forms(self.query.relation):
            if not any(less.change in form.change for less in safe_forms) and not _unsafe(form.relation):
                safe_forms.append(form)
        return tuple(safe_forms)

    @cached_property
    def useless(self) -> tuple[Declared, ...]:
        """The schemes of the query's streams whose punctuations purge and release nothing in it."""
        used = useful(self.query.relation, self.emits_punctuations, self.inference)
        return tuple(scheme for scheme in self.declared if scheme not in used)

    @property
    def emits_punctuations(self) -> bool:
        """Whether its sink writes punctuations too, as one of elements does."""
        return takes_punctuations(self.query.sink)

    @property
    def cases(self) -> tuple[tuple[LMerge, Chosen], ...]:
        """The merges of replicas in the query, each with its case."""
        return tuple((merge, chosen(merge, self.inference)) for merge in merges(self.query.relation))

    @property
    def endless(self) -> bool:
        """Whether its rows are groups, or ranks, that no promised punctuation closes."""
        groups = changing(self.query.relation)
        return groups is not None and not closed(groups, self.inference)

    @cached_property
    def updates(self) -> bool:
        """Whether a group or rank comes again when it changes: as its sink asks, or where there is nothing to wait for.

        Groups of a window always do. Else that is: the query is safe, punctuations do not close its groups, and it is
        on synopses or nothing is promised.
        """
        groups, option = changing(self.query.relation), self.query.sink.options.get(_UPDATES)
        if groups is not None and window(groups.input) is not None:
            if (option or "true").lower() != "true":
                why = "a group changes whenever a row leaves its window, so no group is ever final"
                raise SchemaError(f"{self.query.name} can only emit updates", why, "remove the option updates")
            return True
        if option is None:
            there = self.safe and self.endless
            return there and (groups in self.inference.parts or not self.declared)
        if option.lower() == "true" and groups is None:
            why = unable(self.query.relation)
            raise SchemaError(f"{self.query.name} cannot emit updates", why, "remove the option updates")
        return option.lower() == "true"

    @property
    def streams(self) -> tuple[StreamDef, ...]:
        """The streams that the query reads, each once."""
        return tuple(dict.fromkeys(source.stream for source in sources(self.query.relation)))

    @property
    def declared(self) -> tuple[Declared, ...]:
        """The schemes of the streams that the query reads."""
        return declared(self.query.relation)

    @property
    def crosses(self) -> bool:
        """Whether streams are joined without an equality of columns."""
        ends = (self.inference.block(relation) for relation in self.ends)
        return any(len(end.on) < len(end.leaves) - 1 for end in ends if end is not None)

    @property
    def ordered(self) -> bool:
        """Whether comparisons meet an order that streams promise: it may exclude rows that memory alone must expect."""
        ends = (self.inference.block(relation) for relation in self.ends)
        compared = any(end.closure.nodes for end in ends if end is not None)
        orders = {order for stream in self.streams for scheme in stream.schemes for _, order in scheme.terms}
        return compared and bool(orders - {Order.EQUALITY})

    @property
    def as_written(self) -> bool:
        """Whether the query is safe when each join runs as the binary joins that are written.

        A join that no punctuation purges, for its inputs have finitely many rows, always does.
        """
        known = self.inference
        return self.safe and all(known.written(end) or not safe(known.join(end)) for end in self.ends)

    @property
    def joins(self) -> tuple[JoinQuery, ...]:
        """The joins of the query, as graphs see them."""
        return tuple(self.inference.join(relation) for relation in self.ends)

    @property
    def ends(self) -> tuple[Relation, ...]:
        """The relations with which its joins end."""
        return tuple(_blocks(self.query.relation, self.inference))


def verdict(script: Script) -> tuple[QueryAnalysis, ...]:
    """What is known of each query of a script before it runs.

    >>> from punctum.parse import parse_script
    >>> (totals,) = verdict(parse_script('''
    ...     CREATE STREAM bid (itemid BIGINT, increase DOUBLE) USING json OPTIONS (path 'in');
    ...     CREATE SINK total USING json OPTIONS (path 'out');
    ...     INSERT INTO total SELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid;
    ... '''))
    >>> totals.admitted, [[str(scheme) for scheme in schemes] for schemes in totals.advice]
    (False, [['bid(itemid)']])
    """
    return tuple(checked(QueryAnalysis(query), script.text) for query in script.queries)


def checked(query: QueryAnalysis, sql: str) -> QueryAnalysis:
    """The query, when the cases of its merges are ones that their inputs allow; the error has its place in the SQL."""
    try:
        tuple(query.cases)
    except SqlError as error:
        raise error.within(sql) from None
    return query


def registered(relation: Relation, name: str = "query") -> QueryAnalysis:
    """What is known of a query that is written to no sink."""
    return QueryAnalysis(QueryDef(name, SinkDef(name, ""), relation))


def _unsafe(relation: Relation) -> bool:
    return any(state.verdict is Verdict.UNBOUNDED for state in states(relation, inferred(relation)))


def _blocks(relation: Relation, known: Inference) -> Iterator[Relation]:
    """The relations with which joins without windows end, each after those below it."""
    if relation in known.parts:
        return
    block = known.block(relation)
    for below in relation.inputs if block is None else block.leaves:
        yield from _blocks(below, known)
    if block is not None and not block.windowed:
        yield relation
