"""The papers' examples, each with its story, and of some of them what their streams send, slice by slice.

A story is two files: ``NAME.json`` with its title, its paragraphs and its slices, and ``NAME.sql``. The scripts of
those that the demo runs are the demo's.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from typing import Any

from punctum.errors import QueryError, choices, nearest

_OF_THE_DEMO = ("auction", "warehouse", "outage")


@dataclass(frozen=True)
class PageStory:
    """An example: a name, a title, paragraphs about it, and slices with a sentence on each, if there are any."""

    name: str

    @cached_property
    def _content(self) -> dict[str, Any]:
        text = resources.files("punctum.page").joinpath("stories", f"{self.name}.json").read_text("utf-8")
        content: dict[str, Any] = json.loads(text)
        return content

    @cached_property
    def sql(self) -> str:
        """Its script."""
        place = "demo" if self.name in _OF_THE_DEMO else "page/stories"
        return resources.files("punctum").joinpath(f"{place}/{self.name}.sql").read_text("utf-8")

    @property
    def slices(self) -> Sequence[Mapping[str, Sequence[Mapping[str, Any]]]]:
        """What its streams send."""
        return [piece["sends"] for piece in self._content.get("slices", [])]

    @property
    def summary(self) -> dict[str, Any]:
        """Its name and title, and whether there are slices to travel through."""
        return {"name": self.name, "title": self._content["title"], "slices": len(self.slices)}

    @property
    def whole(self) -> dict[str, Any]:
        """All of it, as data for JSON."""
        says = [piece["say"] for piece in self._content.get("slices", [])]
        return self.summary | {"text": self._content["text"], "sql": self.sql, "says": says}


STORIES = tuple(
    map(PageStory, ("auction", "warehouse", "outage", "forgotten", "chain", "triangle", "pairs", "bounded", "replicas"))
)
"""All of them, in the order in which they are best read."""


def story(name: str) -> PageStory:
    """The story of a name.

    >>> story("auction").summary
    {'name': 'auction', 'title': 'An online auction', 'slices': 5}
    """
    for page_story in STORIES:
        if page_story.name == name:
            return page_story
    known = [page_story.name for page_story in STORIES]
    raise QueryError(f"there is no story {name}", choices(known), nearest(name, known))
