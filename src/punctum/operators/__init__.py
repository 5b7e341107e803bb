"""The operators on columnar slices: the specification's iterators, vectorised with Polars, one operator a file."""

from punctum.operators.columns import ColumnarSlice, dtype, empty, frame, to_rows
from punctum.operators.difference import Difference
from punctum.operators.dupelim import Dupelim
from punctum.operators.group_by import GroupBy
from punctum.operators.guard import Guard, Guarded
from punctum.operators.intersect import Intersect
from punctum.operators.join import Join
from punctum.operators.matching import matches
from punctum.operators.merge import Merge
from punctum.operators.multijoin import MultiJoin
from punctum.operators.operator import Operator, Size
from punctum.operators.outer import OuterJoin
from punctum.operators.project import Project
from punctum.operators.punctuate import Punctuate
from punctum.operators.select import Select
from punctum.operators.sort import Sort
from punctum.operators.table import Table
from punctum.operators.union import Union

__all__ = [
    "ColumnarSlice",
    "Difference",
    "Dupelim",
    "GroupBy",
    "Guard",
    "Guarded",
    "Intersect",
    "Join",
    "Merge",
    "MultiJoin",
    "Operator",
    "OuterJoin",
    "Project",
    "Punctuate",
    "Select",
    "Size",
    "Sort",
    "Table",
    "Union",
    "dtype",
    "empty",
    "frame",
    "matches",
    "to_rows",
]
