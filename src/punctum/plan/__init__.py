"""Logical plan to stages: what runs where, and what has to be exchanged between."""
