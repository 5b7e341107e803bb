"""Tests: a search over whole queries."""
