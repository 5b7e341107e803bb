"""Trends: what a function of one argument does to the order of its values."""

from enum import Enum


class Trend(Enum):
    """Whether a function keeps the order of its argument, reverses it, or neither."""

    INCREASING = "increasing"
    DECREASING = "decreasing"
    NEITHER = "neither"
