"""The plan of each join of a query: chosen by cost among the safe ones, with those that were not.

In: a relation that ends with a join, what is inferred of it, and what a plan is to be best in. Out: a tree over the
leaves of its block, in their order; the engine runs one join operator for each node of it.
"""

from dataclasses import dataclass, field
from enum import Enum

from punctum.analyse.blocks import Block
from punctum.analyse.graphs import JoinQuery
from punctum.analyse.safety.choice import inferred
from punctum.analyse.safety.inference import Inference
from punctum.analyse.safety.register import QueryAnalysis
from punctum.analyse.safety.useful import declared, minimal
from punctum.ir.tree import Relation
from punctum.plan.joins.cost import Cost, Costs, Objective, Purge
from punctum.plan.joins.enumerate import Plan, Plans, plans
from punctum.plan.joins.statistics import Statistics
from punctum.plan.joins.trees import Tree, tree_text, written


class Schemes(Enum):
    """Which punctuations a plan takes: those of all schemes that are of use, or of as few as keep it safe."""

    ALL = "all"
    MINIMAL = "minimal"


@dataclass(frozen=True)
class PlanOptions:
    """What a plan is to be best in, the options that it is to have, and what is known of the streams.

    Without an objective, joins run as they are written where that is safe, and else by the plan that keeps the least.
    """

    objective: Objective | None = None
    schemes: Schemes = Schemes.ALL
    purge: Purge = Purge.EAGER
    statistics: Statistics = field(default_factory=Statistics)

    @property
    def by(self) -> Objective:
        """What plans are compared by."""
        return self.objective or Objective.MEMORY


@dataclass(frozen=True)
class Joined:
    """A join of a query, and its plans."""

    block: Block
    query: JoinQuery
    costs: Costs
    plans: Plans

    @property
    def as_written(self) -> Plan:
        """The binary joins that the script has."""
        tree = written(self.block.tree)
        return Plan(tree, self.costs.tree(tree))

    def text(self, tree: Tree) -> str:
        """A plan with the names of its inputs."""
        return tree_text(tree, self.query.streams)


def chosen(relation: Relation, known: Inference, options: PlanOptions | None = None) -> Tree:
    """The best tree of join operators for the block that ends with a relation.

    >>> from punctum.parse import parse_script
    >>> stream = "CREATE STREAM {} (k BIGINT, PUNCTUATED ON (k)) USING memory OPTIONS (rate '{}');"
    >>> (query,) = parse_script(
    ...     "".join(stream.format(name, rate) for name, rate in (("a", 1000), ("b", 1), ("c", 1)))
    ...     + "CREATE SINK o USING console; INSERT INTO o SELECT a.k FROM a JOIN b ON a.k = b.k JOIN c ON b.k = c.k;"
    ... ).queries
    >>> chosen(query.relation.input, Inference(), PlanOptions(Objective.THROUGHPUT))
    Tree(inputs=(0, Tree(inputs=(1, 2))))
    """
    return joined(relation, known, options or PlanOptions()).plans.best


def joined(relation: Relation, known: Inference, options: PlanOptions, most: int = 4) -> Joined:
    """The join that a relation ends with, and its best plans."""
    block, query = known.block(relation), known.join(relation)
    assert block is not None
    costs = Costs(query, options.statistics.measures(block, query, known), options.purge)
    return Joined(block, query, costs, plans(costs, options.by, most))


def to_run(relation: Relation, known: Inference, options: PlanOptions) -> Tree:
    """The tree that runs for the block that ends with a relation, which is safe."""
    block = known.block(relation)
    assert block is not None
    if options.objective is None and known.written(relation):
        return written(block.tree)
    return chosen(relation, known, options)


def inference(query: QueryAnalysis, says: bool, schemes: Schemes) -> Inference:
    """What is inferred of a query, or of one that takes the punctuations of a minimal set of schemes only."""
    if schemes is Schemes.ALL:
        return query.inference
    relation = query.query.relation
    return inferred(relation, less=frozenset(declared(relation)) - minimal(relation, says))


def total(query: QueryAnalysis, options: PlanOptions) -> Cost:
    """The cost of all joins of a query, each with its best plan."""
    known, cost = inference(query, query.emits_punctuations, options.schemes), Cost(0.0, 0.0)
    for relation in query.ends:
        cost += joined(relation, known, options, 1).plans.ranked[0].cost or Cost(0.0, 0.0)
    return cost
