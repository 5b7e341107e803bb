"""Forms of queries that scripts have from number 3,000,000 on: times, windows of all kinds, ranks, limits and lists.

DuckDB spells some of them in another way. Such a part is written twice, ``⟦ours│theirs⟧``, and may have such parts in
it.
"""

import random
import re
from collections.abc import Sequence
from datetime import datetime, timedelta

Column = tuple[str, str]
"""A name and a type."""
TIME, SPAN = "TIMESTAMP_NTZ", "INTERVAL"
HOURS = tuple(datetime(2026, 5, 1) + timedelta(hours=n) for n in (0, 1, 2, 3, 5, 26))
_BOTH = re.compile("⟦([^⟦⟧│]*)│([^⟦⟧│]*)⟧")


def either(ours: str, theirs: str) -> str:
    """A part of SQL that DuckDB spells in another way."""
    return f"⟦{ours}│{theirs}⟧"


def spelled(sql: str, theirs: bool = False) -> str:
    """SQL as we, or DuckDB, spell it.

    >>> text = either(f"size({either('a', 'b')})", "len(c)")
    >>> spelled(text), spelled(text, True)
    ('size(a)', 'len(c)')
    """
    while (changed := _BOTH.sub(r"\2" if theirs else r"\1", sql)) != sql:
        sql = changed
    return sql


class Forms:
    """What a writer of scripts knows of them."""

    rng: random.Random
    odd: bool
    readable: list[tuple[str, tuple[Column, ...]]]

    def fresh(self, prefix: str) -> str:
        """A name that is not taken."""
        raise NotImplementedError

    # Conditions

    def oddly(self, condition: str) -> str:
        """A condition that is true for the same rows, now and then, where scripts have such."""
        if not self.odd or self.rng.random() < 0.5:
            return condition
        forms = ["NOT (NOT ({0}))", "({0}) IS TRUE", "COALESCE({0}, FALSE)", "CASE WHEN {0} THEN TRUE ELSE FALSE END"]
        return self.rng.choice([*forms, "NOT (({0}) IS NOT TRUE)", "(({0}) = TRUE)"]).format(condition)

    def apart_oddly(self, one: str, other: str, below: int, above: int) -> list[str]:
        """Comparisons of how far two columns are apart."""
        return [
            f"ABS({one} - {other}) <= {above}",
            f"2 * {above} >= ABS({other} - {one})",
            f"NOT ({other} < {one} - {below} OR {other} > {one} + {above})",
            f"{one} - {other} IN ({-below}, {above})",
            f"({one} = {other} OR {one} - {other} = {above})",
            f"NOT ({one} <> {other} + {below})",
            f"{one} - {other} < {above}.5 AND {other} - {one} <= {below}.0",
            f"CASE WHEN {one} - {other} BETWEEN {-below} AND {above} THEN 1 ELSE 0 END = 1",
            f"({one} - {other} BETWEEN {-below} AND {above} OR {above} < 0) <> FALSE",
        ]

    # Items of FROM

    def windowed(self) -> tuple[str, str, tuple[Column, ...]] | None:
        """A stream in windows of time as an item of FROM, its alias and its columns; nothing when none has a time."""
        mine = {"p", "window_start", "window_end"}
        known = [(name, cs) for name, cs in self.readable if ("ts", TIME) in cs and mine.isdisjoint(dict(cs))]
        timed = [(name, cs) for name, cs in known if {"BIGINT", "STRING"} & {kind for _, kind in cs}]
        if not timed:
            return None
        (name, columns), alias = self.rng.choice(timed), self.fresh("q")
        kind = self.rng.choice(["hop", "hop", "tumble", "session", "session", "groups", "batch"])
        return getattr(self, f"_in_{kind}")(name, alias, columns)  # type: ignore[no-any-return]

    def _in_hop(self, name: str, alias: str, columns: tuple[Column, ...]) -> tuple[str, str, tuple[Column, ...]]:
        ours = f"TABLE(HOP(TABLE {name}, DESCRIPTOR(ts), INTERVAL '1' HOUR, INTERVAL '2' HOUR)) {alias}"
        return either(ours, f"{hopped(name)} {alias}"), alias, (*columns, ("window_start", TIME), ("window_end", TIME))

    def _in_tumble(self, name: str, alias: str, columns: tuple[Column, ...]) -> tuple[str, str, tuple[Column, ...]]:
        ours = f"TABLE(TUMBLE(TABLE {name}, DESCRIPTOR(ts), INTERVAL '2' HOUR)) {alias}"
        theirs = f"(SELECT *, {bucket(2)} AS window_start FROM {name} WHERE ts IS NOT NULL) {alias}"
        return either(ours, theirs), alias, (*columns, ("window_start", TIME))

    def _in_groups(self, name: str, alias: str, columns: tuple[Column, ...]) -> tuple[str, str, tuple[Column, ...]]:
        key, shown = self.keyed(columns)
        window = "window(ts, '2 hours', '1 hour')"
        ours = f"SELECT {key}, window.start AS w, COUNT(*) AS n FROM {name} GROUP BY {key}, {window}"
        theirs = f"SELECT {key}, window_start AS w, COUNT(*) AS n FROM {hopped(name)} GROUP BY ALL"
        return f"({either(ours, theirs)}) {alias}", alias, (shown, ("w", TIME), ("n", "BIGINT"))

    def _in_session(self, name: str, alias: str, columns: tuple[Column, ...]) -> tuple[str, str, tuple[Column, ...]]:
        key, shown = self.keyed(columns)
        window, what = "session_window", "COUNT(*) AS n"
        bounds, gap = f"{window}.start AS w, {window}.end AS e", "ts, '1 hour'"
        ours = f"SELECT {key}, {bounds}, {what} FROM {name} GROUP BY {key}, {window}({gap})"
        late = f"ts > LAG(ts) OVER (PARTITION BY {key} ORDER BY ts) + INTERVAL 1 HOUR"
        begins = f"SELECT *, CASE WHEN {late} THEN 1 ELSE 0 END AS b FROM {name} WHERE ts IS NOT NULL"
        counted = f"SELECT *, SUM(b) OVER (PARTITION BY {key} ORDER BY ts) AS g FROM ({begins})"
        theirs = (
            f"SELECT {key}, MIN(ts) AS w, MAX(ts) + INTERVAL 1 HOUR AS e, {what} FROM ({counted}) GROUP BY {key}, g"
        )
        return f"({either(ours, theirs)}) {alias}", alias, (shown, ("w", TIME), ("e", TIME), ("n", "BIGINT"))

    def _in_batch(self, name: str, alias: str, columns: tuple[Column, ...]) -> tuple[str, str, tuple[Column, ...]]:
        now = either("localtimestamp()", "TIMESTAMP '1970-01-01'")
        return f"(SELECT *, {now} AS p FROM {name}) {alias}", alias, (*columns, ("p", TIME))

    def keyed(self, columns: Sequence[Column]) -> tuple[str, Column]:
        """A column that windows are grouped by."""
        shown = self.rng.choice([c for c in columns if c[1] in ("BIGINT", "STRING")])
        return shown[0], shown

    # Queries over another one

    def ranked(self, sql: str, columns: Sequence[Column]) -> tuple[str, tuple[Column, ...]] | None:
        """Window functions; rows that are equal on all columns are the same to them."""
        rng, alias = self.rng, self.fresh("q")
        by = rng.choice(["", *(f"PARTITION BY {n}" for n, _ in columns), *["PARTITION BY k"] * ("k" in dict(columns))])
        rest = [n for n, _ in rng.sample(list(columns), len(columns))]
        order = "ORDER BY " + ", ".join(f"{n} {rng.choice(['ASC NULLS FIRST', 'DESC NULLS LAST'])}" for n in rest)
        value, kind = rng.choice(list(columns))
        calls: list[Column] = [(f"LEAD({value})", kind), (f"LEAD({value}, 2)", kind), (f"LAG({value})", kind)]
        calls += [("ROW_NUMBER()", "BIGINT"), ("RANK()", "BIGINT")]
        framed: list[Column] = [(f"FIRST_VALUE({value})", kind), ("COUNT(*)", "BIGINT")]
        framed += [(f"{rng.choice(['SUM', 'MIN', 'MAX'])}({value})", "BIGINT")] * (kind == "BIGINT")
        steps = {TIME: "INTERVAL 1 HOUR", "BIGINT": "64"}
        ranges = [(n, steps[k]) for n, k in columns if k in steps]
        frames = ["ROWS BETWEEN 2 PRECEDING AND CURRENT ROW", "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"]
        frame = rng.choice(frames)
        if ranges and rng.random() < 0.5:
            at, step = rng.choice(ranges)
            order, frame = f"ORDER BY {at} ASC NULLS FIRST", f"RANGE BETWEEN {step} PRECEDING AND CURRENT ROW"
            calls, framed = [], [c for c in framed if not c[0].startswith("FIRST")]
        named, name = rng.random() < 0.4, self.fresh("w")
        call, given = rng.choice([*calls, *framed])
        spec = f"{by} {order}".strip() if (call, given) in calls else f"{by} {order} {frame}".strip()
        bare = rng.choice([f"OVER {name}", f"OVER ({name})"]) if named else f"OVER ({spec})"
        over = (
            f"OVER {name}" if named and (call, given) in framed else bare
        )  # a window with a frame is no part of others
        if named and (call, given) in framed and rng.random() < 0.5:
            spec, over = f"{by} {order}".strip(), f"OVER ({name} {frame})"
        shown = self.fresh("n")
        window = f" WINDOW {name} AS ({spec})" if named else ""
        names = ", ".join(n for n, _ in columns)
        return f"SELECT {names}, {call} {over} AS {shown} FROM ({sql}) {alias}{window}", (*columns, (shown, given))

    def first(self, sql: str, columns: Sequence[Column]) -> str:
        """The first rows of an order of all columns."""
        order = ", ".join(
            f"{n} {self.rng.choice(['ASC NULLS FIRST', 'DESC NULLS LAST', 'ASC NULLS LAST'])}"
            for n, _ in self.rng.sample(list(columns), len(columns))
        )
        names = ", ".join(n for n, _ in columns)
        return f"SELECT {names} FROM ({sql}) {self.fresh('q')} ORDER BY {order} LIMIT {self.rng.choice([1, 2, 3, 7])}"

    def listed(self, sql: str, columns: Sequence[Column]) -> str:
        """Lists and structs, which nothing but a result may have."""
        plain = [n for n, kind in columns if kind in ("BIGINT", "STRING", TIME)]
        numbers = [n for n, kind in columns if kind == "BIGINT"]
        names, alias = ", ".join(n for n, _ in columns), self.fresh("q")
        if numbers and self.rng.random() < 0.4:
            x = self.rng.choice(numbers)
            text = f"CAST({x} AS STRING)"
            whole = f"""CONCAT('{{"a": ', {text}, ', "b": [', {text}, ', 1]}}')"""
            ours = f"from_json({whole}, 'a BIGINT, b ARRAY<BIGINT>')"
            theirs = f"CASE WHEN {x} IS NOT NULL THEN {{'a': {x}, 'b': [{x}, 1]}} END"
            return f"SELECT {names}, {either(ours, theirs)} AS st FROM ({sql}) {alias}"
        if not plain:
            return sql
        key, x = self.rng.choice(list(columns))[0], self.rng.choice(plain)
        function, inner = self.rng.choice([("collect_list", x), ("collect_set", f"DISTINCT {x}")])
        theirs = f"COALESCE(list_sort(list({inner}) FILTER (WHERE {x} IS NOT NULL)), [])"
        return f"SELECT {key}, {either(f'{function}({x})', theirs)} AS li FROM ({sql}) {alias} GROUP BY {key}"

    def lists(self, columns: Sequence[Column]) -> list[Column]:
        """Aggregates that look into lists."""
        numbers = [n for n, kind in columns if kind == "BIGINT"]
        if not numbers:
            return []
        x = self.rng.choice(numbers)
        return [
            (either(f"size(collect_list({x}))", f"COUNT({x})"), "BIGINT"),
            (either(f"size(collect_set({x}))", f"COUNT(DISTINCT {x})"), "BIGINT"),
            (either(f"element_at(collect_list({x}), 1)", f"MIN({x})"), "BIGINT"),
            (either(f"array_contains(collect_set({x}), 1)", f"COALESCE(BOOL_OR({x} = 1), FALSE)"), "BOOLEAN"),
        ]

    # Conditions

    def apart(self, seen: Sequence[Column], mine: Sequence[Column]) -> list[str]:
        """A condition on times of both sides, or none."""
        times = [(a, b) for a, ka in seen for b, kb in mine if ka == kb == TIME]
        return [self.spans(*self.rng.choice(times))] if times and self.rng.random() < 0.5 else []

    def spans(self, one: str, other: str) -> str:
        """A comparison of how far two times are apart."""
        return self.rng.choice(
            [
                f"{other} BETWEEN {one} AND {one} + INTERVAL 1 HOUR",
                f"{other} - {one} BETWEEN INTERVAL 0 HOURS AND INTERVAL 2 HOURS",
                f"({other} - {one} < INTERVAL 2 HOURS AND {one} - {other} < INTERVAL 1 HOUR)",
                f"{one} - INTERVAL 1 HOUR = {other}",
                f"({one} <= {other} AND {other} - {one} <= INTERVAL 90 MINUTES)",
                f"{either(*(f(one, other) for f in (_ours, _theirs)))}",
            ]
        )


def _ours(one: str, other: str) -> str:
    return f"window({one}, '2 hours') = window({other}, '2 hours')"


def _theirs(one: str, other: str) -> str:
    return f"{bucket(2, one)} = {bucket(2, other)}"


def bucket(hours: int, time: str = "ts") -> str:
    """The start of a window in DuckDB's SQL."""
    return f"time_bucket(INTERVAL '{hours} hours', {time}, TIMESTAMP '1970-01-01')"


def hopped(name: str) -> str:
    """A stream in windows of two hours, one an hour, in DuckDB's SQL."""
    start = f"{bucket(1)} - i * INTERVAL 1 HOUR"
    return (
        f"(SELECT * EXCLUDE (i), {start} AS window_start, {start} + INTERVAL 2 HOUR AS window_end "
        f"FROM {name}, range(2) AS copies(i) WHERE ts IS NOT NULL)"
    )
