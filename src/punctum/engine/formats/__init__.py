"""One module a file format: the bytes of a file in, its elements and what was not an element out."""
