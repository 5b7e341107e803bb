"""Values only: patterns, punctuations, sets of them, schemes, and their text, JSON and XML forms."""
