"""Sinks: how results become files, and how a batch of them is committed."""
