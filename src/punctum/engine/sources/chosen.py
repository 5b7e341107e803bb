"""Which files below a directory are those of a stream: by a pattern in its path, and by how deep they may be.

Without a pattern, those in the directory itself and in directories ``column=value`` below it, or, with the option
``recursive``, in all directories. A pattern names files, or directories whose files are taken: ``*`` and ``?`` stand
for characters of one name, ``[ab]`` for one of some, ``{a,b}`` for one of several texts, ``**`` for any directories.
Names that are hidden, or not yet final, are never taken.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from punctum.engine.sources.listing import is_input
from punctum.storage.location import Location, StorePath

_SPECIAL = re.compile(r"[*?\[{]")


@dataclass(frozen=True)
class ChosenNames:
    """Says which files are taken, by their names from the directory on.

    >>> chosen = ChosenNames("2026-*/bid-{a,b}.json")
    >>> [chosen(name) for name in ("2026-01/bid-a.json", "2026-01/x/bid-a.json", "2025-01/bid-a.json")]
    [True, False, False]
    >>> below = ("1.json", "dt=1/x=2/1.json", "old/1.json", "dt=1/_temporary/1.json", "dt=1/.a")
    >>> [ChosenNames()(name) for name in below]
    [True, True, False, False, False]
    """

    pattern: str = ""
    recursive: bool = False

    def __call__(self, name: str) -> bool:
        """Whether a file is taken."""
        *directories, own = name.split("/")
        if not is_input(own) or any(map(_hidden, directories)):
            return False
        if not self.pattern:
            return self._below(directories)
        if self._regex.fullmatch(name):
            return True
        starts = (n for n in range(1, len(directories) + 1) if self._regex.fullmatch("/".join(directories[:n])))
        return any(self._below(directories[n:]) for n in starts)

    def enters(self, name: str) -> bool:
        """Whether files below a directory may be taken."""
        own = name.rpartition("/")[2]
        return not _hidden(own) and (bool(self.pattern) or self._below([own]))

    @property
    def plain(self) -> bool:
        """Whether only files in the directory itself are taken, as far as nothing else is known."""
        return not self.pattern and not self.recursive

    def _below(self, directories: list[str]) -> bool:
        return self.recursive or all("=" in directory for directory in directories)

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        return re.compile(_translated(self.pattern), re.DOTALL)


def chosen_of(place: Location, recursive: bool) -> tuple[Location, ChosenNames]:
    """The directory that a path with a pattern begins with, and what is taken below it.

    >>> directory, chosen = chosen_of(StorePath("s3", "bucket", "in/2026-*/[ab].json"), False)
    >>> str(directory), chosen.pattern
    ('s3://bucket/in', '2026-*/[ab].json')
    """
    parts = place.key.split("/") if isinstance(place, StorePath) else list(place.parts)
    at = next((n for n, part in enumerate(parts) if _SPECIAL.search(part)), None)
    if at is None or (not isinstance(place, StorePath) and place.exists()):
        return place, ChosenNames(recursive=recursive)
    directory = place
    for _ in parts[at:]:
        directory = directory.parent
    return directory, ChosenNames("/".join(parts[at:]), recursive)


def _hidden(directory: str) -> bool:
    return directory.startswith((".", "_")) and "=" not in directory


def _translated(pattern: str) -> str:
    """A pattern as a regular expression."""
    out, at, open_ = "", 0, 0
    while at < len(pattern):
        rest = pattern[at:]
        if rest.startswith("**/"):
            out, at = out + "(?:[^/]+/)*", at + 3
        elif rest.startswith("**"):
            out, at = out + ".*", at + 2
        elif (group := re.match(r"\[([!^]?)([^\]/]+)\]", rest)) is not None:
            inside = group[2].replace("\\", r"\\").replace("[", r"\[")
            out, at = out + f"[{'^' if group[1] else ''}{inside}]", at + group.end()
        else:
            character = rest[0]
            open_ += (character == "{" and "}" in rest) - (character == "}" and open_ > 0)
            mapped = {"*": "[^/]*", "?": "[^/]", ",": "|" if open_ else ",", "{": "(?:" if open_ else r"\{"}
            closing = ")" if character == "}" and out.count("(?:") > out.count(")") else re.escape(character)
            out, at = out + mapped.get(character, closing), at + 1
    return out
