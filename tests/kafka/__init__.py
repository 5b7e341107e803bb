"""Streams and sinks over topics, and the broker that their tests start."""
