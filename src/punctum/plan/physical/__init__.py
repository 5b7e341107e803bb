"""Which operators run together, and what is exchanged between them."""
