"""What a script is made of: streams, named relations and a query, as SQL for us and for DuckDB."""

from dataclasses import dataclass, field
from datetime import datetime

from search.forms import HOURS, TIME, Column, either, spelled

NUMBERS = (0, 1, 64, 130, 200, 270, -64)
"""Numbers of several buckets, and neighbours."""
TEXTS = ("", "a", "b", "é")
VALUES: dict[str, tuple[object, ...]] = {
    "BIGINT": NUMBERS,
    "STRING": TEXTS,
    "BOOLEAN": (False, True),
    "DOUBLE": (-1.5, 0.0, 2.0, 64.0),
}
COLUMNS = (
    ("k", "BIGINT"),
    ("x", "BIGINT"),
    ("y", "BIGINT"),
    ("s", "STRING"),
    ("t", "STRING"),
    ("f", "BOOLEAN"),
    ("d", "DOUBLE"),
)
TIMES = {**VALUES, TIME: HOURS}


@dataclass(frozen=True)
class Stream:
    """A stream, its schemes as columns with an order, and which of its columns are never NULL or have few values."""

    name: str
    columns: tuple[Column, ...]
    schemes: tuple[tuple[tuple[str, str], ...], ...]
    unique: tuple[str, ...] = ()
    domains: dict[str, tuple[object, ...]] = field(default_factory=dict, hash=False)
    filled: frozenset[str] = frozenset()

    @property
    def ddl(self) -> str:
        """CREATE STREAM."""
        clauses = [f"{name} {kind}{' NOT NULL' * (name in self.filled)}" for name, kind in self.columns]
        clauses += [f"PUNCTUATED ON ({', '.join(f'{n} {o}'.strip() for n, o in each)})" for each in self.schemes]
        clauses += [f"UNIQUE ({', '.join(self.unique)})"] if self.unique else []
        clauses += [f"DOMAIN {n} IN ({', '.join(map(literal, values))})" for n, values in self.domains.items()]
        return f"CREATE STREAM {self.name} ({', '.join(clauses)}) USING json OPTIONS (path '{self.name}');"

    def values(self, column: str, pool: dict[str, tuple[object, ...]]) -> tuple[object, ...]:
        """What a column has, of the values that a script is about."""
        return self.domains.get(column, pool[dict(self.columns)[column]])


@dataclass(frozen=True)
class Written:
    """A script: its streams, named relations and the query."""

    pool: dict[str, tuple[object, ...]]
    streams: tuple[Stream, ...]
    views: tuple[tuple[str, str], ...]
    query: str

    @property
    def sql(self) -> str:
        """The whole script."""
        views = [f"CREATE STREAM {name} AS {query};" for name, query in self.views]
        lines = [*(s.ddl for s in self.streams), *views, "CREATE SINK o USING console;", f"INSERT INTO o {self.query};"]
        return spelled("\n".join(lines))

    @property
    def batch(self) -> str:
        """The query for a database that has a table for each stream."""
        views = ", ".join(f"{name} AS ({query})" for name, query in self.views)
        whole = f"SELECT * FROM (WITH {views} SELECT * FROM ({self.query}) q) r" if views else self.query
        return spelled(whole, theirs=True)

    @property
    def stamped(self) -> bool:
        """Whether the time of the batch closes what it is about."""
        return "localtimestamp" in self.sql


@dataclass(frozen=True)
class Piece:
    """A query and its columns."""

    sql: str
    columns: tuple[Column, ...]


def literal(value: object) -> str:
    """A value as SQL."""
    if isinstance(value, bool):
        return str(value).upper()
    return (
        f"'{value}'"
        if isinstance(value, str)
        else either(f"TIMESTAMP_NTZ '{value}'", f"TIMESTAMP '{value}'")
        if isinstance(value, datetime)
        else f"CAST({value} AS DOUBLE)"
        if isinstance(value, float)
        else str(value)
    )
