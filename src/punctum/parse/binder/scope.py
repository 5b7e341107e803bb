"""Names: which column of the relations in FROM a name means. Names are case-insensitive, as in Spark."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from punctum.algebra.pattern import WILDCARD
from punctum.errors import Place, SqlError, choices, nearest
from punctum.ir.expressions import Column, Expression, rebased
from punctum.ir.functions import call
from punctum.ir.relations import Source
from punctum.ir.tree import Relation, title

_WINDOWS = {
    "window": "for a window of time, write GROUP BY window(ts, '10 seconds')",
    "session_window": "for a session, write GROUP BY session_window(ts, '10 seconds') and its keys",
}


@dataclass(frozen=True)
class FromTable:
    """A relation in FROM: its name there, and where its columns begin in the relation that all of them form."""

    alias: str
    relation: Relation
    offset: int
    place: Place
    merged: frozenset[str] = field(default_factory=frozenset)
    """Columns, in small letters, that USING has made one with those of an earlier table."""
    either: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Columns, in small letters, that USING of a FULL JOIN has made one with those of these later tables."""
    names: tuple[str, ...] = ()
    """The names that its columns have in that relation, where those are not their own."""

    optional: bool = False
    """Whether a row may have none of its rows, so that its columns are NULL."""

    def columns(self) -> Iterator[Column]:
        """Its columns, at their positions."""
        schema = self.relation.schema
        for i, (attribute, name) in enumerate(zip(schema.attributes, self.names or schema.names, strict=True)):
            shown = replace(attribute, domain=WILDCARD) if self.optional else attribute
            yield Column(self.offset + i, name, shown)

    @property
    def shown(self) -> str:
        """Which columns it has, for errors."""
        name = title(self.relation) if self.relation.alias or isinstance(self.relation, Source) else self.alias
        return f"{name} has: {', '.join(self.relation.schema.names)}"

    @property
    def width(self) -> int:
        """How many columns it has."""
        return len(self.relation.schema)


@dataclass(frozen=True)
class Scope:
    """The tables of a FROM, in the order in which they are written."""

    tables: tuple[FromTable, ...]

    def column(self, name: str, table: str | None, place: Place) -> Expression:
        """The column that a name means, or an error with those that there are."""
        asked = [self.table(table, place)] if table is not None else self.tables
        columns = [
            (t, column)
            for t in asked
            for column in t.columns()
            if column.attribute.name.lower() == name.lower() and (table is not None or name.lower() not in t.merged)
        ]
        if not columns:
            raise self._unknown(name, asked, place)
        if len(columns) > 1:
            owners = [f"{_written(t.alias)}.{c.attribute.name}" for t, c in columns]
            raise SqlError(f"the column {name} is ambiguous", "", f"write {' or '.join(owners)}", place)
        return self._shown(*columns[0], table is None, place)

    def _shown(self, table: FromTable, column: Column, alone: bool, place: Place) -> Expression:
        """A column, or the first of several that is not NULL, where a FULL JOIN has made them one by name."""
        here, name = replace(column, place=place), column.attribute.name
        others = table.either.get(name.lower(), ()) if alone else ()
        same = (self.column(name, other, place) for other in others)
        return call("coalesce", (here, *same), place) if others else here

    def has(self, name: str) -> bool:
        """Whether any table has a column of that name."""
        return any(known.lower() == name for table in self.tables for known in table.relation.schema.names)

    def names(self, table: str) -> bool:
        """Whether a table has that name."""
        return any(known.alias.lower() == table.lower() for known in self.tables)

    def table(self, alias: str, place: Place) -> FromTable:
        """The table of a name."""
        for table in self.tables:
            if table.alias.lower() == alias.lower():
                return table
        aliases = [table.alias for table in self.tables]
        hint = _WINDOWS.get(alias.lower()) or nearest(alias, aliases)
        raise SqlError(f"there is no {alias} in FROM", choices(aliases), hint, place)

    def _unknown(self, name: str, asked: "list[FromTable] | tuple[FromTable, ...]", place: Place) -> SqlError:
        detail = "; ".join(table.shown for table in asked)
        hint = nearest(name, [known for table in asked for known in table.relation.schema.names])
        return SqlError(f"there is no column {name}", detail, hint, place)

    def star(self, table: str | None, place: Place) -> list[tuple[str, Expression]]:
        """The columns of all tables or of one, by name; a name that is there twice goes with its table's."""
        asked = self.tables if table is None else (self.table(table, place),)
        columns = [(t, c.attribute.name, c) for t in asked for c in t.columns()]
        columns = [(t, name, c) for t, name, c in columns if table is not None or name.lower() not in t.merged]
        names = [name.lower() for _, name, _ in columns]
        return [
            (name if names.count(name.lower()) == 1 else f"{t.alias}.{name}", self._shown(t, c, table is None, place))
            for t, name, c in columns
        ]


@dataclass(frozen=True)
class OuterColumn(Column):
    """A column of a query around a subquery, so many levels up."""

    up: int = 1


@dataclass(frozen=True)
class Correlated(Scope):
    """The tables of a subquery, and those of the query around it for names that are not among its own."""

    outer: Scope

    def column(self, name: str, table: str | None, place: Place) -> Expression:
        """The column that a name means, inside or else outside."""
        if _knows(Scope(self.tables), name, table) or not _knows(self.outer, name, table):
            return super().column(name, table, place)
        return outside(self.outer.column(name, table, place))


def outside(expression: Expression) -> Expression:
    """An expression of the query around a subquery, as the subquery sees it."""
    return rebased(expression, lambda c: OuterColumn(c.index, c.name, c.attribute, up=levels(c) + 1))


def levels(column: Column) -> int:
    """How many levels up the query is of which a column is."""
    return column.up if isinstance(column, OuterColumn) else 0


def _knows(scope: Scope, name: str, table: str | None) -> bool:
    """Whether a scope, or one around it, has the table that stands before a name, or else a column of that name."""
    here = scope.has(name.lower()) if table is None else scope.names(table)
    return here or (isinstance(scope, Correlated) and _knows(scope.outer, name, table))


def _written(name: str) -> str:
    """A name, in backquotes where it has more than letters."""
    return name if name.isidentifier() else f"`{name}`"
