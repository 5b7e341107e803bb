"""Whose results a sink has: a query with a new checkpoint would put its own beside those of another.

Then each row that both give is there twice. So such a query is refused, unless it is told to add to what is there, or
goes on with the state of another one.
"""

import re
from typing import TYPE_CHECKING

from punctum.engine.recovery.durable import writing
from punctum.errors import QueryError, printable
from punctum.storage.files import files_below
from punctum.storage.location import Location

if TYPE_CHECKING:
    from punctum.engine.sinks.postgres import PostgresTable

_RESULT = re.compile(r"part-([0-9a-f]{8})-\d+-.*")


def check_directory_is_free(directory: Location, query: str) -> None:
    """An error when a directory has results of another query than this one."""
    with writing(directory):
        names = files_below(directory)  # also those in directories by the values of columns
    for name in names:
        if (match := _RESULT.fullmatch(name.rpartition("/")[2])) is not None and match[1] != query:
            raise taken(str(directory), f"{printable(name)} was written with another checkpoint")


def check_table_is_free(table: "PostgresTable", query: str) -> None:
    """An error when another query has written to a table than this one."""
    if others := table.others(query):
        raise taken(f"the table {table.name}", f"the query {others[0]} has written to it with another checkpoint")


def taken(where: str, detail: str) -> QueryError:
    """The error when a sink has results of another query."""
    hint = (
        "go on with that checkpoint, empty the sink, or add to what is there: "
        "punctum run --add-to-sink, start(add_to_sink=True)"
    )
    return QueryError(f"the checkpoint is new, but {where} has results of another query", detail, hint)
