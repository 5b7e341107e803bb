"""What readers of a result do not need, told to those that feed it."""
