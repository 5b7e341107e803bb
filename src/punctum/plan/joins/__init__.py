"""The safe plans of a join, and the best of them."""
