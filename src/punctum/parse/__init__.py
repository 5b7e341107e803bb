"""SQL scripts become streams, sinks and queries: bound, typed, and each knows its place in the text."""

from punctum.parse.script import is_query, parse_query, parse_script, parse_select, parse_stream

__all__ = ["is_query", "parse_query", "parse_script", "parse_select", "parse_stream"]
