"""Scripts are tested without Spark, in milliseconds: slices of streams in, what a query gives after each of them out.

>>> from punctum.testing import run
>>> outcome = run(
...     '''
...     CREATE STREAM bid (itemid BIGINT, increase DOUBLE, PUNCTUATED ON (itemid)) USING json OPTIONS (path 'in/bid');
...     CREATE SINK total USING json OPTIONS (path 'out/total');
...     INSERT INTO total SELECT itemid, SUM(increase) AS total FROM bid GROUP BY itemid;
...     ''',
...     {"bid": [[(17, 5.0), (18, 9.0)], [(17, 2.0), {"$punct": {"itemid": 17}}]]},
... )
>>> print(outcome)
slice 1
  keeps 2 rows
slice 2
  {"itemid":17,"total":7.0}
  {"$punct": {"itemid": 17}}
  keeps 1 row
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from punctum.testing.assertions import assert_equal_to_batch, assert_safe
    from punctum.testing.outcome import Outcome, SliceOutcome
    from punctum.testing.scripts import from_files, run, run_all

__all__ = ["Outcome", "SliceOutcome", "assert_equal_to_batch", "assert_safe", "from_files", "run", "run_all"]
_MODULES = {
    "assert_equal_to_batch": "assertions",
    "assert_safe": "assertions",
    "Outcome": "outcome",
    "SliceOutcome": "outcome",
}


def __getattr__(name: str) -> Any:
    """What is public, loaded when it is asked for: pytest, which looks for the plugin here, need not wait for it."""
    if name not in __all__:
        raise AttributeError(f"module 'punctum.testing' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"punctum.testing.{_MODULES.get(name, 'scripts')}"), name)
