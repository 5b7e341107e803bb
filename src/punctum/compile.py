"""From a script to what runs: read, bound, inferred and planned once, by passes that can be read aloud.

In: the text of a script or of one SELECT, or a relation. Out: its queries, each with what is known of it before it
runs, the tree after each pass, and the stages that run. Nothing here needs Spark.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path

from punctum.algebra.scheme import Scheme
from punctum.analyse.report.text import admit
from punctum.analyse.safety.inference import Inference
from punctum.analyse.safety.register import QueryAnalysis, checked, registered
from punctum.analyse.safety.updates import changing, key
from punctum.errors import SqlError
from punctum.ir.applied import UserFunction
from punctum.ir.definitions import QueryDef, Script, StreamDef, TableDef, writes_apart
from punctum.ir.expressions.zones import WITHOUT
from punctum.ir.references import check_references
from punctum.ir.tree import Relation, show
from punctum.parse.script import is_query, parse_script, parse_select
from punctum.plan.explain import explain
from punctum.plan.joins.choose import PlanOptions, inference
from punctum.plan.joins.idle import mark_unused_schemes
from punctum.plan.joins.multijoin import plan_joins
from punctum.plan.passes.names import canonicalise_names
from punctum.plan.passes.prune import pruned
from punctum.plan.passes.punctuate import Members, nobody, reported
from punctum.plan.physical.lifespan import check_lifespans
from punctum.plan.physical.share import shared
from punctum.plan.physical.stages import Stage, stages
from punctum.plan.physical.weights import weighted
from punctum.plan.physical.where_read import runs_where_read


@dataclass(frozen=True)
class Options:
    """What a script may name, how its joins are planned, and what its queries are to give.

    What a result has, punctuations and groups that come again, is as its sink has it unless it is given here.
    """

    plan: PlanOptions = field(default_factory=PlanOptions)
    streams: Mapping[str, StreamDef] = field(default_factory=dict)
    functions: Mapping[str, UserFunction] = field(default_factory=dict)
    tables: Mapping[str, TableDef] = field(default_factory=dict)
    """Tables that a single SELECT may name."""
    members: Members = nobody
    zone: str = WITHOUT
    """The time zone of local times, which is that of Spark's session."""
    punctuations: bool | None = None
    updates: bool | None = None


PLAIN = Options()
"""A script of its own, planned as it is written."""


@dataclass(frozen=True)
class Draft:
    """A query between two passes: what is known of it, what was inferred for its plan, and what it has become."""

    analysis: QueryAnalysis
    options: Options
    relation: Relation
    facts: Inference | None = None
    last: Stage | None = None

    @property
    def punctuations(self) -> bool:
        """Whether the result has punctuations, which hold for the whole of it."""
        given = self.options.punctuations
        return self.analysis.emits_punctuations if given is None else given

    @property
    def updates(self) -> bool:
        """Whether its groups, or ranks, come again when they change."""
        return self.analysis.updates if self.options.updates is None else self.options.updates

    def lines(self) -> list[str]:
        """The tree as it is now: stages, or before there are any the relation."""
        if self.last is None:
            return show(self.relation).splitlines()
        return explain(self.last, runs_where_read(self.last, self.analysis.query.sink))

    def promises(self) -> list[str]:
        """The relation as it is bound, with the schemes that its parts promise."""
        known = self.facts
        return [] if known is None else show(self.analysis.query.relation, partial(_promised, known)).splitlines()


def _promised(known: Inference, relation: Relation) -> str:
    """The schemes of a relation, behind its node."""
    names, promises = relation.schema.names, known.facts(relation).promises
    schemes = (Scheme(relation.schema, tuple((names[i], order) for i, order in p.terms)) for p in promises if p.terms)
    return "".join(f", PUNCTUATED {scheme}" for scheme in dict.fromkeys(schemes))


def infer(draft: Draft) -> Draft:
    """What each relation promises; the inputs of merges have to allow their cases."""
    analysis, schemes = draft.analysis, draft.options.plan.schemes
    return replace(draft, facts=inference(analysis, draft.punctuations, schemes))


def joins(draft: Draft) -> Draft:
    """Joins that are safe together run as one, merges know their case, and parts in bounded memory are synopses."""
    assert draft.facts is not None
    again = changing(draft.relation) if draft.updates else None
    return replace(draft, relation=plan_joins(draft.relation, draft.facts, draft.options.plan, again))


def schemes(draft: Draft) -> Draft:
    """Streams know which of their punctuations purge and release nothing."""
    assert draft.facts is not None
    unused = mark_unused_schemes(draft.relation, draft.analysis, draft.punctuations, draft.options.plan.schemes)
    return replace(draft, relation=unused)


def clauses(draft: Draft) -> Draft:
    """WHEN ALL, EXPECT WITHIN and LIFESPAN become operators over their streams."""
    return replace(draft, relation=reported(draft.relation, draft.options.members))


def columns(draft: Draft) -> Draft:
    """Columns that nobody reads are gone."""
    return replace(draft, relation=pruned(draft.relation))


def weights(draft: Draft) -> Draft:
    """Rows that are counted say for how many they stand."""
    return replace(draft, relation=weighted(draft.relation))


def names(draft: Draft) -> Draft:
    """Names of columns do not hang on aliases, so that state outlives a rename."""
    return replace(draft, relation=canonicalise_names(draft.relation))


def cut(draft: Draft) -> Draft:
    """Operators that run together are a stage; between stages rows are exchanged by key."""
    apart = writes_apart(draft.analysis.query.sink)
    return replace(draft, last=stages(draft.relation, draft.punctuations, apart))


def share(draft: Draft) -> Draft:
    """What a stage would do twice it does once."""
    assert draft.last is not None
    return replace(draft, last=shared(draft.last))


def check(draft: Draft) -> Draft:
    """What the stages cannot run is an error now."""
    assert draft.last is not None
    check_lifespans(draft.last)
    return draft


Pass = tuple[str, Callable[[Draft], Draft]]
"""A pass: its name, and what it makes of a query."""
PASSES: tuple[Pass, ...] = (
    ("infer promises", infer),
    ("plan joins", joins),
    ("mark unused schemes", schemes),
    ("place clauses of streams", clauses),
    ("prune columns", columns),
    ("weigh rows", weights),
    ("canonicalise names", names),
    ("cut into stages", cut),
    ("share what is there twice", share),
    ("check what expires", check),
)
"""What happens to a query once it is bound."""


@dataclass(frozen=True)
class CompiledQuery:
    """A query that has passed all passes."""

    analysis: QueryAnalysis
    options: Options
    sql: str = field(default="", repr=False)  # it may hold a password
    passes: tuple[Pass, ...] = PASSES

    @property
    def query(self) -> QueryDef:
        """The query as it is bound."""
        return self.analysis.query

    @cached_property
    def drafts(self) -> tuple[tuple[str, Draft], ...]:
        """The query after each pass, by its name."""
        return tuple(self._drafts())

    def _drafts(self) -> Iterator[tuple[str, Draft]]:
        draft = Draft(self.analysis, self.options, self.query.relation)
        yield "bind", draft
        for name, run in self.passes:
            try:
                draft = run(draft)
            except SqlError as error:
                raise error.within(self.sql) from None
            yield name, draft

    def changes(self) -> Iterator[tuple[str, list[str]]]:
        """The tree after each pass, or what relations promise after inference; no lines where it stays as it is."""
        before: list[str] = []
        promises: list[str] = []
        for name, draft in self.drafts:
            lines, news = draft.lines(), draft.promises()
            yield name, lines if lines != before else news if news != promises else []
            before, promises = lines, news

    @property
    def last(self) -> Stage:
        """The last of its stages; the others are the origins of its inputs."""
        _, draft = self.drafts[-1]
        assert draft.last is not None
        return draft.last

    @property
    def where_read(self) -> bool:
        """Whether it runs where its streams are read."""
        return runs_where_read(self.last, self.query.sink)

    @property
    def explained(self) -> list[str]:
        """Its stages in words."""
        _, draft = self.drafts[-1]
        return draft.lines()

    @property
    def key(self) -> tuple[str, ...] | None:
        """Of a query whose groups come again: the columns that distinguish them, when the result shows them all."""
        _, draft = self.drafts[-1]
        return key(self.query.relation) if draft.updates else None

    def admit(self) -> str:
        """Refuse a query that must not run, with the reason as an error; give the warning of one that is allowed to."""
        return admit([self.analysis], self.sql)

    def check_references(self) -> None:
        """Refuse to run when its streams or its sink refer to an environment variable or a file that is not there."""
        check_references([*self.analysis.streams, self.query.sink], self.sql)

    def again(self, options: Options) -> "CompiledQuery":
        """The same query, planned with other options."""
        return self if options == self.options else replace(self, options=options)


@dataclass(frozen=True)
class Compiled:
    """A script: what it defines, and its queries."""

    script: Script
    queries: tuple[CompiledQuery, ...]

    @property
    def analyses(self) -> tuple[QueryAnalysis, ...]:
        """What is known of each query before it runs."""
        return tuple(query.analysis for query in self.queries)

    def admit(self) -> str:
        """Refuse a script one of whose queries must not run."""
        return admit(self.analyses, self.script.text)


def compile(script: str, options: Options = PLAIN) -> Compiled:
    """A script, read and bound, each query of it analysed and planned; an error for what is wrong with it.

    >>> compiled = compile('''
    ...     CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'in');
    ...     CREATE SINK total USING json OPTIONS (path 'out');
    ...     INSERT INTO total SELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid;
    ... ''')
    >>> [(query.query.name, query.analysis.admitted) for query in compiled.queries]
    [('total', True)]
    >>> [name for name, _ in compiled.queries[0].drafts][:3]
    ['bind', 'infer promises', 'plan joins']
    """
    bound = parse_script(script, options.streams, options.functions, options.zone)
    return Compiled(bound, tuple(_compiled(QueryAnalysis(query), options, script) for query in bound.queries))


def compile_query(sql: str, name: str = "", options: Options = PLAIN) -> CompiledQuery:
    """A single SELECT, which is written to no sink."""
    if not is_query(sql):
        raise SqlError("this is not a query", "", "it begins with SELECT; in Python, session.script() takes a script")
    query = parse_select(sql, options.streams, options.functions, options.zone, options.tables)
    return _compiled(QueryAnalysis(replace(query, name=name or query.name)), options, sql)


def compile_relation(
    relation: Relation,
    options: Options = PLAIN,
    passes: tuple[Pass, ...] = PASSES,
) -> CompiledQuery:
    """A relation that is bound already, as a query that is written to no sink; by all passes, or some of them."""
    return _compiled(registered(relation), options, "", passes)


def as_path(script: str | Path) -> Path | None:
    """The file that a script is in, when its path is given and not its text.

    >>> as_path("auction.sql"), as_path("CREATE STREAM bid (k BIGINT) USING memory;")
    (PosixPath('auction.sql'), None)
    """
    if isinstance(script, Path):
        return script
    return Path(script) if script.strip().endswith(".sql") and len(script.split()) == 1 else None


def read_script(path: Path) -> str:
    """The text of a file."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise SqlError(f"{path.name} is not UTF-8 text", "", "save it as UTF-8") from None
    except OSError as error:
        raise SqlError(
            f"{path} cannot be read", error.strerror or "", "give the text of a script, or its path"
        ) from None


def _compiled(analysis: QueryAnalysis, options: Options, sql: str, passes: tuple[Pass, ...] = PASSES) -> CompiledQuery:
    made = CompiledQuery(checked(analysis, sql), options, sql, passes)
    made.drafts  # noqa: B018  an error of a pass is one of compiling
    return made
