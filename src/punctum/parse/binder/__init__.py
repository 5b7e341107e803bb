"""SELECT: names are bound to columns, clauses become relations."""
