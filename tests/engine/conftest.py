"""A Postgres server for the tests of a file."""

from collections.abc import Iterator

import psycopg
import pytest
from pgserver import get_server  # type: ignore[attr-defined]

from engine.postgres import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    directory = tmp_path_factory.mktemp("postgres")
    server = get_server(directory)
    yield Server(server.get_uri(), directory)
    server.cleanup()


@pytest.fixture
def url(server: Server) -> str:
    """A server with nothing in it."""
    with psycopg.connect(server.url) as connection:
        names = "SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema)'"
        for (name,) in connection.execute(names).fetchall():
            connection.execute(f'DROP SCHEMA "{name}" CASCADE')
        connection.execute("CREATE SCHEMA public")
    return server.url
