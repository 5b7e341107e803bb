"""Text of a script to tokens and clauses."""
