"""Names of counts, shared by the engine, which counts, and by statistics, which are read from what it has counted."""

ROWS_FROM = "rows_from "
"""How the count of an operator's rows from a stream begins; the stream's name follows."""
PUNCTS_FROM = "puncts_from "
"""How that of its punctuations from a stream begins."""
STABLE_OF = "stable_of "
"""How the stable of an input of a merge begins."""
