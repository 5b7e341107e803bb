"""Verdicts as text, JSON, pictures and HTML."""
