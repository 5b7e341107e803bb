"""Tests of the vectorised operators."""
