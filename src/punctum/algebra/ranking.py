"""Ranking functions by name: where a row stands among the rows of its partition, in an order."""

from enum import Enum


class Ranking(Enum):
    """A ranking function. Rows that are equal on all sort keys are *peers*.

    ROW_NUMBER counts rows, RANK those before the peers of a row, and DENSE_RANK different sort keys, each from 1.
    """

    ROW_NUMBER = "ROW_NUMBER"
    RANK = "RANK"
    DENSE_RANK = "DENSE_RANK"
