"""The commands that look at a script without running it."""
