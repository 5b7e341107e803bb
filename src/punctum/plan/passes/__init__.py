"""Rewrites of a relation into one that runs."""
