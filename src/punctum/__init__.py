"""Continuous SQL over punctuated streams."""
