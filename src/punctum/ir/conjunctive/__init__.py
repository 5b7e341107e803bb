"""Conjunctive queries as values: streams, comparisons of their attributes, and what is shown."""
