"""Continuous SQL over punctuated streams, on Spark: ``punctum.Session`` is where to begin."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from punctum.errors import PunctumError, QueryError, RefusedError, SchemaError, SqlError
    from punctum.query import Query
    from punctum.session import Session

__all__ = ["PunctumError", "Query", "QueryError", "RefusedError", "SchemaError", "Session", "SqlError"]
_MODULES = {"Session": "session", "Query": "query"}


def __getattr__(name: str) -> Any:
    """What is public, loaded when it is asked for: the command line need not wait for Spark."""
    if name not in __all__:
        raise AttributeError(f"module 'punctum' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"punctum.{_MODULES.get(name, 'errors')}"), name)
