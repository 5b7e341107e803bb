"""What the metrics of a batch are called and mean. ``docs/metrics.md`` is made of these tables."""

from collections.abc import Mapping

from punctum.plan.joins.counts import PUNCTS_FROM, ROWS_FROM, STABLE_OF

FIELDS = {
    "batch": "the number of the batch",
    "time": "when it was committed, in seconds since 1970",
    "seconds": "how long it took, its commit included",
    "quarantined": "rows that went to the quarantine",
    "skipped": "rows of each stream that were skipped where it is read, because [feedback](logical-merge.md#feedback) "
    "says that nobody needs them; left out when there are none",
    "operators": "the counts of each operator, by stage and position: `s1o0` is the first operator of stage 1",
    "kept": "in the file only: the counts of each bucket, from which a restarted query continues",
}
"""The fields of a batch."""
ALWAYS = {
    "rows_in": "rows received",
    "rows_out": "rows emitted",
    "rows_purged": "rows deleted from state",
    "puncts_in": "punctuations received",
    "puncts_out": "punctuations emitted",
}
"""What each operator has done in each batch."""
AT_TIMES = {
    f"{ROWS_FROM}…": "rows received from one stream, by its name",
    f"{PUNCTS_FROM}…": "punctuations received from one stream, by its name",
    "rows_covered": "of a join: rows that were not kept, because punctuations said before that nothing would meet them "
    "later; left out when there are none",
    "rows_skipped": "with feedback: rows that the operator did not take, or whose results it did not give, because "
    "nobody needs them; they are not in `rows_in` and `rows_out`",
    "puncts_forgotten": "punctuations whose LIFESPAN has ended; neighbours that end together count once",
    "values_swept": "keys whose punctuation did not arrive within EXPECT WITHIN",
    "rows_swept": "rows with such keys",
    "rows_withheld": "rows that would have been emitted because of such a key; they are in the quarantine",
}
"""What some operators have done in some batches."""
AFTER = {
    "rows_kept": "rows in state",
    "bytes_kept": "their size in memory, in bytes",
    "puncts_kept": "punctuations that the operator keeps for its own work",
    "puncts_received": "punctuations that the inputs remember to find late rows, after neighbours are coalesced: `1`, "
    "`2`, `3` count once",
    "puncts_waiting": "punctuations that are passed on only when no kept row matches them",
    "oldest": "since when the oldest row is kept, in seconds since 1970, and the punctuation that it waits for; a "
    "group is as old as its first row, and nothing becomes older or younger by purges or restarts",
    "due": "with EXPECT WITHIN by the clock: when the next key is swept, in seconds since 1970",
    "stable": "for a merge: the time up to which its output is final, the least of all buckets",
}
"""How things are after a batch."""
OF_INPUTS = {
    f"{STABLE_OF}…": "for a merge: the last stable of an input that is attached, by its name, the least of all buckets",
}
"""The same, of one input."""

_PAGE = """# Metrics

Each batch of a query gives one object. `query.metrics()` returns those of the last batches, `punctum run` prints a
line for each batch, and `punctum/metrics.jsonl` in the checkpoint has those of the last ones, one object a line. At
1 MB, in a store at 64 kB, this file is put aside as `metrics-BATCH.jsonl`, by its last batch, and a new one is begun;
four of these are kept. [operate.md](operate.md) says how Prometheus and Spark's listeners get them, and what to watch.

| field of a batch | meaning |
|---|---|
{fields}
What an operator did in the batch:

| metric | meaning |
|---|---|
{done}
How things are after the batch, summed over all buckets:

| metric | meaning |
|---|---|
{after}
A line such as `closing: batch 4, 2 rows out, 3 rows (2 kB) kept, bid(itemid=17) has been open for 3 h` shows `oldest`:
a punctuation `itemid = 17` of the stream `bid` is overdue. [troubleshooting.md](troubleshooting.md) says what to do.
"""


def page() -> str:
    """The tables as a page of the documentation."""
    return _PAGE.format(fields=_rows(FIELDS), done=_rows(ALWAYS | AT_TIMES), after=_rows(AFTER | OF_INPUTS))


def _rows(meanings: Mapping[str, str]) -> str:
    return "".join(f"| `{name}` | {meaning} |\n" for name, meaning in meanings.items())
