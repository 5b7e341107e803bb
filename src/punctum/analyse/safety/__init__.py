"""Whether punctuations bound the state of a query, and what would."""
