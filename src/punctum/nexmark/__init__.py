"""NEXMark: an auction site as a benchmark, generated from a seed, and its queries."""
