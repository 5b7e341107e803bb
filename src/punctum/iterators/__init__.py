"""The executable specification: the papers' stream iterators in plain Python, one operator a file."""

from punctum.iterators.aggregates import Aggregate, Function
from punctum.iterators.columns import Column, Trend
from punctum.iterators.difference import Difference
from punctum.iterators.dupelim import Dupelim
from punctum.iterators.framework import Operator, Specified, binary, unary
from punctum.iterators.group_by import GroupBy
from punctum.iterators.guard import Guard, Violation, guard
from punctum.iterators.intersect import Intersect
from punctum.iterators.join import Join
from punctum.iterators.merge import Merge
from punctum.iterators.multijoin import MultiJoin
from punctum.iterators.project import Project
from punctum.iterators.punctuate import Punctuate
from punctum.iterators.select import Select
from punctum.iterators.sort import Key, Sort
from punctum.iterators.stream import Slice, prefix
from punctum.iterators.union import Union

__all__ = [
    "Aggregate",
    "Column",
    "Difference",
    "Dupelim",
    "Function",
    "GroupBy",
    "Guard",
    "Intersect",
    "Join",
    "Key",
    "Merge",
    "MultiJoin",
    "Operator",
    "Project",
    "Punctuate",
    "Select",
    "Slice",
    "Sort",
    "Specified",
    "Trend",
    "Union",
    "Violation",
    "binary",
    "guard",
    "prefix",
    "unary",
]
