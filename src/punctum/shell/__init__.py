"""SQL over files, without a script: one query, or a prompt."""
