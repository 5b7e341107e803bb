"""Expressions (``nodes.py``), their types (``types.py``), casts (``casts.py``) and local times.

Times of a zone are in ``zones.py`` and ``truncation.py``. All of it is about single values: no relation, no function's
meaning.
"""

from punctum.ir.expressions.nodes import (
    NOWHERE,
    Call,
    Column,
    Expression,
    Literal,
    columns,
    conjunction,
    conjuncts,
    kind,
    like,
    mismatch,
    named,
    rebased,
    text,
    type_text,
)

__all__ = [
    "NOWHERE",
    "Call",
    "Column",
    "Expression",
    "Literal",
    "columns",
    "conjunction",
    "conjuncts",
    "kind",
    "like",
    "mismatch",
    "named",
    "rebased",
    "text",
    "type_text",
]
