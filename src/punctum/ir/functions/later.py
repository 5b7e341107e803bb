"""Polars, imported when the first kernel is made: scripts are read without it."""

from typing import TYPE_CHECKING, Any

__all__ = ["pl"]

if TYPE_CHECKING:
    import polars as pl
else:

    class _Later:
        def __getattr__(self, name: str) -> Any:
            import polars

            return getattr(polars, name)

    pl = _Later()
