"""The commands that run no query: what a script says, and what a checkpoint holds."""
