"""The tree."""
