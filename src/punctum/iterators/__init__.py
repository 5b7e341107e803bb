"""The executable specification: the papers' stream iterators in plain Python, one operator a file."""
