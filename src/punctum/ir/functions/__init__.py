"""Functions and operators: what they take and give (``rules.py``), and the table that defines each function.

``define.py`` says what an entry is. ``strings.py``, ``patterns.py`` (with ``regex.py`` and ``json.py``),
``digests.py``, ``numbers.py``, ``times.py``, ``formats.py`` and ``conditions.py`` have the entries, and ``table.py``
has them all.
``order.py``: the order of values.
"""

from punctum.ir.functions.define import FUNCTIONS, Scalar
from punctum.ir.functions.rules import call
from punctum.ir.functions.table import CHAPTERS, NAMES, suggested

__all__ = ["CHAPTERS", "FUNCTIONS", "NAMES", "Scalar", "call", "suggested"]
