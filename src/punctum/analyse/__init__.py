"""Facts about queries, never rewrites."""
