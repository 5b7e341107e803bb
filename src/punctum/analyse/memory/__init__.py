"""Whether a query runs in bounded memory without punctuations."""
