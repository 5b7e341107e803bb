"""The merge element by element, as the paper's algorithms have it: what the vectorised operator is held against."""
