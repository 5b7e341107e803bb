"""The room parse: scripts, and what they mean."""
