"""SQL over files: queries, the prompt, and what is inferred."""
