"""The executable specification: the papers' stream iterators in plain Python, one operator a file."""

from punctum.spec.columns import ComputedColumn
from punctum.spec.difference import Difference
from punctum.spec.dupelim import Dupelim
from punctum.spec.framework import Operator, Specified, binary, unary
from punctum.spec.group_by import GroupBy
from punctum.spec.guard import BrokenPromise, Guard, guard
from punctum.spec.intersect import Intersect
from punctum.spec.join import Join
from punctum.spec.merge import Merge
from punctum.spec.multijoin import MultiJoin
from punctum.spec.outer import OuterJoin
from punctum.spec.project import Project
from punctum.spec.punctuate import Punctuate
from punctum.spec.select import Select
from punctum.spec.sort import Sort
from punctum.spec.stream import Slice, prefix
from punctum.spec.union import Union

__all__ = [
    "BrokenPromise",
    "ComputedColumn",
    "Difference",
    "Dupelim",
    "GroupBy",
    "Guard",
    "Intersect",
    "Join",
    "Merge",
    "MultiJoin",
    "Operator",
    "OuterJoin",
    "Project",
    "Punctuate",
    "Select",
    "Slice",
    "Sort",
    "Specified",
    "Union",
    "binary",
    "guard",
    "prefix",
    "unary",
]
