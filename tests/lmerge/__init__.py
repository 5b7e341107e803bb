"""Logical Merge: the model, the cases and what keeps them right."""
