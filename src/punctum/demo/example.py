"""What an example is: a script, what its streams send step by step, and how a row of its result is printed."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import resources
from typing import Any

Elements = list[dict[str, Any]]
"""Rows and punctuations, as in JSON; see ``docs/elements.md``."""

STEPS = 12
"""How many steps the streams of an example take; the last one ends them."""


@dataclass(frozen=True)
class Example:
    """A script of the same name, a sentence on what to look at, the steps, and the text of a released row.

    The steps are the same at each call: what each stream sends in a step, the streams in the order of the script.
    """

    name: str
    about: str
    steps: Callable[[], Iterator[dict[str, Elements]]]
    text: str

    @property
    def script(self) -> str:
        """The SQL."""
        return resources.files("punctum.demo").joinpath(f"{self.name}.sql").read_text("utf-8")


def punct(**patterns: Any) -> dict[str, Any]:
    """A punctuation, as in JSON.

    >>> punct(itemid=17), punct()
    ({'$punct': {'itemid': 17}}, {'$punct': {}})
    """
    return {"$punct": patterns}
