"""CREATE STREAM, TABLE and SINK: their columns, clauses and options."""
