"""The files that have been taken of a directory: how far each was read, and since when one has been gone."""

from collections.abc import Iterable, Iterator

from punctum.engine.formats.splits import Split

FORGET = 7 * 24 * 3600.0
"""So many seconds after a file has gone it is forgotten: one of its name is new then."""


class KnownFiles:
    """The last split of each file by its name; of files that have gone, since when, in seconds since 1970.

    >>> known = KnownFiles([Split("a", 0, 5, 0, 7, 1, ""), Split("b", 5, 9, 1, 7, 2, "")])
    >>> list(known), known.changes
    (['b'], 1)
    """

    def __init__(self, splits: Iterable[Split] = ()) -> None:
        self._last: dict[str, Split] = {}
        self._names: dict[int, str] = {}
        self.gone: dict[str, float] = {}
        self.changes = 0
        """How many files have been read on or have gone: so much of what is written down of them is of no use."""
        for split in splits:
            self.remember(split)

    def __len__(self) -> int:
        return len(self._last)

    def __iter__(self) -> Iterator[str]:
        return iter(self._last)

    def __contains__(self, name: str) -> bool:
        return name in self._last

    def get(self, name: str) -> Split | None:
        """The last split of a file."""
        return self._last.get(name)

    def of_inode(self, inode: int) -> Split | None:
        """The last split of the file that had an inode."""
        return self._last.get(self._names.get(inode, ""))

    def remember(self, split: Split) -> None:
        """The last split of a file; one that goes on under a new name has left its old one."""
        old = self._names.get(split.inode)
        if split.start and old is not None and old != split.name:
            self.changes += self._last.pop(old, None) is not None
            self.gone.pop(old, None)
        self.changes += split.name in self._last
        self.gone.pop(split.name, None)
        self._last[split.name] = split
        self._names[split.inode] = split.name

    def seen(self, split: Split) -> None:
        """A file is as it was, but for its inode and its time."""
        self.remember(split)
        self.changes -= 1

    def lost(self, name: str, since: float) -> None:
        """A file is not there."""
        if name in self._last and name not in self.gone:
            self.gone[name] = since
            self.changes += 1

    def forget(self, names: Iterable[str]) -> None:
        """Forget files."""
        for name in names:
            split = self._last.pop(name, None)
            self.gone.pop(name, None)
            if split is not None and self._names.get(split.inode) == name:
                del self._names[split.inode]
