"""Windows of time in a query: in comes a relation whose expressions name them, out comes one that has them as columns.

A row without a time is in no window: where a column is computed of one, such rows are left out, as Spark does it.
"""

from punctum.ir.expressions import Expression, conjunction
from punctum.ir.functions import call
from punctum.ir.relations import Filter, Projection
from punctum.ir.time_windows import tumbled
from punctum.ir.tree import Relation, transform, with_inputs


def timed(relation: Relation) -> Relation:
    """A relation with the windows that it names."""
    return transform(relation, _timed)


def _timed(node: Relation) -> Relation:
    if isinstance(node, Projection):
        times = dict.fromkeys(time for _, expression in node.columns for time in tumbled(expression))
        return with_inputs(node, [_with_times(node.input, list(times))])
    return node


def _with_times(relation: Relation, times: list[Expression]) -> Relation:
    """The rows of a relation that have times."""
    tests = [call("is null", (time,), time.place) for time in times if time.nullable]
    condition = conjunction([call("not", (test,), test.place) for test in tests])
    return relation if condition is None else Filter(relation, condition, condition.place)
