"""Scripts as people write them, at random: streams with schemes of all kinds, and a query over them.

Queries are nested to depth four: joins with equalities that are repeated, follow from others or contradict each other,
in ON, WHERE and subqueries; columns that are selected twice and under other names; constants and computed columns; set
operators, DISTINCT, GROUP BY, UNION ALL below and above; a stream that is joined with itself; conditions that bound
what is kept without punctuations. From number 1,000,000 on they also have intervals around columns and order for each
key, and every sixth one outer joins, EXISTS and IN. From number 2,000,000 on every second one has these, with FULL JOIN
USING, subqueries that name columns two levels up and below GROUP BY, and groups by columns of outer joins. From number
3,000,000 on they have times and what ``forms.py`` knows; from 4,000,000 on most have window functions over streams that
close their keys; from 5,000,000 on most have groups, of intervals too; from 6,000,000 on conditions are spelled oddly.
Every script is well-formed SQL for Punctum and for DuckDB.
"""

import random
from collections.abc import Sequence
from dataclasses import replace

from search.forms import HOURS, SPAN, TIME, Column, Forms
from search.streams import COLUMNS, NUMBERS, TIMES, VALUES, Piece, Stream, Written, literal

DEPTH = 4
ASKED = 50
WIDE, DEEP, TIMED, FRAMED, SUMMED, SPELLED = (1_000_000 * n for n in range(1, 7))
"""From these numbers on scripts may have all that there is, all that was refused before, and times, windows of all
kinds, limits and lists; then most have window functions, or groups and sums of intervals; or neither, and conditions as
few people spell them. Those before a number stay as they were when they were found."""
OUTER = 6
"""Of so many scripts one has joins that look at rows without a partner."""


def written(seed: int) -> Written:
    """The script of a number; of some it is only asked whether there is a row."""
    outer = seed % 2 == 0 if seed >= DEEP else seed >= WIDE and seed % OUTER == 4
    since = [seed >= begin for begin in (WIDE, DEEP, TIMED, FRAMED, SUMMED, SPELLED)]
    since[2:5] = [seed % 3 == 0, False, False] if seed >= SPELLED else since[2:5]
    script = _Writer(random.Random(seed), outer, *since).script()
    asked = f"SELECT DISTINCT 1 AS one FROM ({script.query}) w"
    return replace(script, query=asked) if seed % ASKED == 7 else script


class _Writer(Forms):
    def __init__(self, rng: random.Random, outer: bool, wide: bool, *since: bool) -> None:
        self.rng, self.wide, self.outer = rng, wide, outer
        self.deep, self.timed, self.framed, self.summed, self.odd = since
        self.streams, self.names = list[Stream](), 0
        values = TIMES if self.timed else VALUES
        few = rng.choice([2, 2, 2, 3])
        self.pool = {kind: tuple(rng.sample(values, min(few, len(values)))) for kind, values in values.items()}

    def script(self) -> Written:
        self.streams = [self.stream(f"s{n}") for n in range(self.rng.choice([2, 2, 2, 3, 3, 4, 5]))]
        self.readable: list[tuple[str, tuple[Column, ...]]] = [(s.name, s.columns) for s in self.streams]
        views = []
        if self.rng.random() < 0.15:
            view = self.query(self.rng.choice([1, 2]))
            views.append(("v", view.sql))
            self.readable.append(("v", view.columns))
        depth = self.rng.choice([*[1] * 5, *[2] * 4, 3, 3, DEPTH])
        query = self.query(depth)
        return Written(self.pool, tuple(self.streams), tuple(views), self.last(query) if self.timed else query.sql)

    def last(self, query: Piece) -> str:
        """What stands around the whole query: nothing, the first rows, or lists."""
        plain = all(kind != SPAN for _, kind in query.columns)
        kind = self.rng.choice(["", "", "", "first", "listed"] if plain else [""])
        return query.sql if not kind else str(getattr(self, kind)(query.sql, query.columns))

    # Streams

    def stream(self, name: str) -> Stream:
        columns = tuple(c for c in COLUMNS if c[0] == "k" or self.rng.random() < (0.55, 0.2)[c[0] in "tfdy"])
        columns += (("ts", TIME),) if self.timed and self.rng.random() < 0.7 else ()
        names = [n for n, _ in columns]
        schemes = [self.scheme(names) for _ in range(self.rng.choice([0, 1, 1, 1, 1, 2, 2, 3]))]
        if (self.outer or self.framed) and self.rng.random() < 0.7:
            schemes.append((("k", ""),))
        if ("ts", TIME) in columns and self.rng.random() < 0.6:
            schemes.append((("ts", "ASC"),))
        ordered = {n for each in schemes for n, order in each if order}
        unique = ("k",) if self.rng.random() < 0.08 else ()
        domains = {
            n: tuple(self.rng.sample(self.pool[kind], 2))
            for n, kind in columns
            if kind in ("BIGINT", "STRING") and n != "k" and self.rng.random() < 0.12
        }
        filled = {n for n in names if n in domains or n in unique or n in ordered or self.rng.random() < 0.3}
        return Stream(name, columns, tuple(dict.fromkeys(schemes)), unique, domains, frozenset(filled))

    def scheme(self, names: list[str]) -> tuple[tuple[str, str], ...]:
        several = self.rng.sample(names, min(len(names), self.rng.choice([1, 1, 1, 2])))
        if len(several) == 1 and several[0] not in "fst" and self.rng.random() < 0.25:
            return ((several[0], self.rng.choice(["ASC", "ASC", "DESC"])),)
        if self.wide and len(several) == 2 and several[1] not in "fst" and self.rng.random() < 0.4:
            return ((several[0], ""), (several[1], self.rng.choice(["ASC", "ASC", "DESC"])))
        return tuple((n, "") for n in sorted(several))

    # Queries

    def query(self, depth: int) -> Piece:
        kinds = ["select"] * 2 + ["join"] * 5 + ["set"] * 3 + ["group"] * 3 + ["distinct"] * 2 + ["all"] * 2
        kinds += (["outer"] * 6 + ["exists"] * 5) if self.outer else []
        kinds += ["over"] * 4 + ["first"] * 2 + ["windows"] * 2 if self.timed else []
        kinds += ["group"] * 24 if self.summed else ["over"] * 24 if self.framed else []
        kind = self.rng.choice(kinds) if depth else "select"
        return getattr(self, f"_{kind}")(depth)  # type: ignore[no-any-return]

    def table(self, depth: int) -> tuple[str, str, tuple[Column, ...]]:
        """An item of FROM, its alias and its columns."""
        if self.timed and self.rng.random() < 0.2 and (window := self.windowed()) is not None:
            return window
        alias = self.fresh("q")
        if depth <= 0 or self.rng.random() < 0.55:
            name, columns = self.rng.choice(self.readable)
            return f"{name} {alias}", alias, columns
        piece = self.query(depth - 1)
        return f"({piece.sql}) {alias}", alias, piece.columns

    def fresh(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    def _select(self, depth: int) -> Piece:
        source, alias, columns = self.table(depth - 1)
        mine = [(f"{alias}.{n}", kind) for n, kind in columns]
        items, shown = self.items(mine)
        return Piece(f"SELECT {items} FROM {source}{self.where(mine, 0.5)}", shown)

    def _distinct(self, depth: int) -> Piece:
        below = self.query(depth - 1) if self.rng.random() < 0.5 else self._select(depth)
        kept = self.some(below.columns)
        names = ", ".join(n for n, _ in kept)
        return Piece(f"SELECT DISTINCT {names} FROM ({below.sql}) {self.fresh('q')}", tuple(kept))

    def _join(self, depth: int) -> Piece:
        tables = [self.table(depth - 1) for _ in range(self.rng.choice([2, 2, 2, 2, 3, 3, 4]))]
        conditions: list[list[str]] = [[]]
        seen = [(f"{tables[0][1]}.{n}", kind) for n, kind in tables[0][2]]
        for _, alias, columns in tables[1:]:
            mine = [(f"{alias}.{n}", kind) for n, kind in columns]
            pairs = [(a, b) for a, ka in seen for b, kb in mine if ka == kb]
            found = (
                [f"{a} = {b}" for a, b in self.rng.choices(pairs, k=self.rng.choice([1, 1, 1, 2, 2, 3]))]
                if pairs
                else []
            )
            found = [c if self.rng.random() < 0.8 else " = ".join(reversed(c.split(" = "))) for c in found]
            numbers = [(a, b) for a, ka in seen for b, kb in mine if ka == kb == "BIGINT"]
            if self.wide and numbers and self.rng.random() < 0.35:
                interval = self.interval(*self.rng.choice(numbers))
                found = [interval] if self.rng.random() < 0.3 else [*found, interval]
            found += self.apart(seen, mine)
            seen += mine
            if self.rng.random() < 0.25:
                found.append(self.condition(seen))
            conditions.append(found)
        style = self.rng.choice(["on", "on", "comma", "mixed"])
        text, where = tables[0][0], list[str]()
        for (source, _, _), found in zip(tables[1:], conditions[1:], strict=True):
            if style == "comma" or not found:
                text, where = f"{text}, {source}" if style == "comma" else f"{text} CROSS JOIN {source}", where + found
            else:
                late = len(found) if style == "on" else self.rng.randint(1, len(found))
                text += f" JOIN {source} ON {' AND '.join(found[:late])}"
                where += found[late:]
        every = [c for found in conditions for c in found]
        if every and self.rng.random() < 0.15:
            where.append(self.rng.choice(every))
        where += [self.condition(seen)] if self.rng.random() < 0.3 else []
        items, shown = self.items(seen)
        return Piece(f"SELECT {items} FROM {text}" + (f" WHERE {' AND '.join(where)}" if where else ""), shown)

    def _outer(self, depth: int) -> Piece:
        if self.deep and self.rng.random() < 0.25:
            return self._using(depth)
        source, alias, columns = self.table(depth - 1)
        text, seen = source, [(f"{alias}.{n}", kind) for n, kind in columns]
        for _ in range(self.rng.choice([1, 1, 1, 2])):
            source, alias, columns = self.table(depth - 1)
            mine = [(f"{alias}.{n}", kind) for n, kind in columns]
            kind = self.rng.choice(["LEFT", "LEFT", "LEFT OUTER", "RIGHT", "FULL", "SEMI", "ANTI"])
            text += f" {kind} JOIN {source} ON {' AND '.join(self.paired(seen, mine))}"
            seen += [] if kind in ("SEMI", "ANTI") else mine
        items, shown = self.items(seen)
        return Piece(f"SELECT {items} FROM {text}{self.where(seen, 0.3)}", shown)

    def _using(self, depth: int) -> Piece:
        """FULL JOIN with USING, once or twice; the merged column is shown, or groups are by it."""
        tables = [self.table(0) for _ in range(self.rng.choice([2, 2, 3]))]
        text = " FULL JOIN ".join([tables[0][0], *(f"{source} USING (k)" for source, _, _ in tables[1:])])
        rest = [(f"{alias}.{n}", kind) for _, alias, columns in tables for n, kind in columns if n != "k"]
        if not all("k" in dict(columns) for _, _, columns in tables):
            return self._select(depth)
        if self.rng.random() < 0.5 or not rest:
            counted = self.rng.choice([n for n, _ in rest]) if rest else "*"
            return Piece(f"SELECT k, COUNT({counted}) AS n FROM {text} GROUP BY k", (("k", "BIGINT"), ("n", "BIGINT")))
        items, shown = self.items(rest)
        shown = tuple((n, kind) for n, kind in shown if n != "k")
        return Piece(f"SELECT k, {items} FROM {text}{self.where(rest, 0.3)}", (("k", "BIGINT"), *shown))

    def _exists(self, depth: int) -> Piece:
        source, alias, columns = self.table(depth - 1)
        seen = [(f"{alias}.{n}", kind) for n, kind in columns]
        if self.rng.random() < 0.2:
            more, other, columns = self.table(depth - 1)
            mine = [(f"{other}.{n}", kind) for n, kind in columns]
            source += f" JOIN {more} ON {' AND '.join(self.paired(seen, mine))}"
            seen += mine
        conditions = [self.partner(depth, seen) for _ in range(self.rng.choice([1, 1, 1, 2]))]
        conditions += [self.condition(seen)] if self.rng.random() < 0.3 else []
        items, shown = self.items(seen)
        return Piece(f"SELECT {items} FROM {source} WHERE {' AND '.join(conditions)}", shown)

    def partner(self, depth: int, seen: Sequence[Column]) -> str:
        """EXISTS or IN, or the negation of one of them."""
        source, alias, columns = self.table(depth - 1)
        mine = [(f"{alias}.{n}", kind) for n, kind in columns]
        pairs = [(a, b) for a, ka in seen for b, kb in mine if ka == kb]
        negated = self.rng.choice(["", "NOT "])
        if self.deep and self.rng.random() < 0.4:
            return negated + self.further(seen, source, mine)
        if not pairs or self.rng.random() < 0.55:
            return f"{negated}EXISTS (SELECT 1 FROM {source} WHERE {' AND '.join(self.paired(seen, mine))})"
        outside, inside = self.rng.choice(pairs)
        more = f" WHERE {' AND '.join(self.paired(seen, mine))}" if self.rng.random() < 0.4 else self.where(mine, 0.3)
        return f"{outside} {negated}IN (SELECT {inside} FROM {source}{more})"

    def further(self, seen: Sequence[Column], source: str, mine: Sequence[Column]) -> str:
        """EXISTS with groups, or with a subquery that names columns of all queries around it."""
        more, alias, columns = self.table(0)
        inner = [(f"{alias}.{n}", kind) for n, kind in columns]
        equal = [f"{a} = {b}" for a, ka in seen for b, kb in mine if ka == kb]
        if self.rng.random() < 0.5 and equal:
            by, conditions = self.rng.choice(mine)[0], self.rng.sample(equal, min(len(equal), 2))
            having = self.rng.choice(["", " HAVING COUNT(*) > 1"])
            return f"EXISTS (SELECT {by} FROM {source} WHERE {' AND '.join(conditions)} GROUP BY {by}{having})"
        far = [
            f"{a} {self.rng.choice(['=', '<', '<>'])} {b}" for a, ka in seen for b, kb in inner if ka == kb != "BOOLEAN"
        ]
        near = [*self.paired(mine, inner), *(self.rng.sample(far, 1) if far else [])]
        below = f"EXISTS (SELECT 1 FROM {more} WHERE {' AND '.join(near)})"
        return f"EXISTS (SELECT 1 FROM {source} WHERE {' AND '.join(self.paired(seen, mine))} AND {below})"

    def paired(self, seen: Sequence[Column], mine: Sequence[Column]) -> list[str]:
        """Conditions on pairs: equalities as a rule, and others."""
        pairs = [(a, b) for a, ka in seen for b, kb in mine if ka == kb]
        several = self.rng.choices(pairs, k=self.rng.choice([1, 1, 1, 2])) if pairs else []
        keys = [(a, b) for a, b in pairs if a.endswith(".k") and b.endswith(".k")]
        several[:1] = [self.rng.choice(keys)] if keys and self.rng.random() < 0.7 else several[:1]
        found = [f"{a} = {b}" for a, b in several]
        if self.rng.random() < 0.3 or not found:
            found.append(self.condition([*seen, *mine]))
        numbers = [(a, b) for (a, ka) in seen for (b, kb) in mine if ka == kb == "BIGINT"]
        if numbers and self.rng.random() < 0.3:
            found.append(self.interval(*self.rng.choice(numbers)))
        return found + self.apart(seen, mine)

    def _over(self, depth: int) -> Piece:
        below = self.query(depth - 1)
        if any(kind == SPAN for _, kind in below.columns):
            return below
        found = self.ranked(below.sql, below.columns)
        return below if found is None else Piece(*found)

    def _first(self, depth: int) -> Piece:
        below = self.query(depth - 1)
        return (
            below
            if any(k == SPAN for _, k in below.columns)
            else Piece(self.first(below.sql, below.columns), below.columns)
        )

    def _windows(self, depth: int) -> Piece:
        found = self.windowed()
        if found is None:
            return self._join(depth)
        source, alias, columns = found
        mine = [(f"{alias}.{n}", kind) for n, kind in columns]
        items, shown = self.items(mine)
        return Piece(f"SELECT {items} FROM {source}{self.where(mine, 0.3)}", shown)

    def interval(self, one: str, other: str) -> str:
        """A comparison of how far two columns are apart, as people spell it."""
        below, above = sorted(self.rng.choice([0, 1, 64, 70]) for _ in range(2))
        forms = [
            f"{other} BETWEEN {one} AND {one} + {above}",
            f"{one} BETWEEN {other} - {below} AND {other} + {above}",
            f"{other} - {one} BETWEEN {-below} AND {above}",
            f"({other} >= {one} - {below} AND {other} < {one} + {above})",
            f"{one} + {below} = {other}",
            f"{one} <= {other} + {above}",
            f"({one} - {above} < {other} AND {one} + {above} > {other})",
        ]
        return self.oddly(self.rng.choice([*forms, *(self.apart_oddly(one, other, below, above) if self.odd else [])]))

    def _set(self, depth: int) -> Piece:
        return self.both(depth, self.rng.choice(["UNION", "INTERSECT", "EXCEPT", "EXCEPT"]))

    def _all(self, depth: int) -> Piece:
        return self.both(depth, "UNION ALL")

    def both(self, depth: int, operator: str) -> Piece:
        left, right = self.query(depth - 1), self.query(depth - 1)
        kinds = [kind for _, kind in right.columns]
        wanted = [c for c in left.columns if c[1] in kinds][: self.rng.choice([1, 2, 2, 3])]
        if not wanted:
            return left
        names = [f"c{i}" for i in range(len(wanted))]
        lefts = ", ".join(f"{c} AS {n}" for (c, _), n in zip(wanted, names, strict=True))
        rights = ", ".join(
            f"{self.rng.choice([c for c, k in right.columns if k == kind])} AS {n}"
            for (_, kind), n in zip(wanted, names, strict=True)
        )
        one = f"SELECT {lefts} FROM ({left.sql}) {self.fresh('q')}"
        other = f"SELECT {rights} FROM ({right.sql}) {self.fresh('q')}"
        return Piece(f"{one} {operator} {other}", tuple((n, kind) for n, (_, kind) in zip(names, wanted, strict=True)))

    def _group(self, depth: int) -> Piece:
        below = self.query(depth - 1) if self.rng.random() < 0.7 else self._select(depth)
        if self.deep and self.outer and self.rng.random() < 0.5:
            below = self._outer(depth)
        keys = self.some(below.columns)[: self.rng.choice([1, 1, 2, 3])]
        by = [n for n, _ in keys]
        numbers = [n for n, kind in below.columns if kind == "BIGINT"]
        plain = [n for n, kind in below.columns if kind in ("BIGINT", "STRING")]
        calls = [("COUNT(*)", "BIGINT")]
        calls += [(f"{f}({self.rng.choice(numbers)})", "BIGINT") for f in ("SUM", "MAX", "COUNT") if numbers]
        calls += [(f"AVG({self.rng.choice(numbers)})", "DOUBLE")] if numbers else []
        calls += [(f"COUNT(DISTINCT {self.rng.choice(plain)})", "BIGINT")] if plain else []
        calls += self.lists(below.columns) if self.timed else []
        spans = {SPAN: "", TIME: f" - {literal(HOURS[0])}"} if self.summed else {}
        calls += [(f"SUM({n}{spans[kind]})", SPAN) for n, kind in below.columns if kind in spans]
        chosen = self.rng.sample(calls, self.rng.choice([0, 1, 1, min(2, len(calls))]))
        names = [(self.fresh("a"), call, kind) for call, kind in chosen]
        named = [(f"{call} AS {name}", (name, kind)) for name, call, kind in names]
        having = " HAVING COUNT(*) > 1" if self.rng.random() < 0.15 else ""
        items = ", ".join([*by, *(text for text, _ in named)])
        sql = f"SELECT {items} FROM ({below.sql}) {self.fresh('q')} GROUP BY {', '.join(by)}{having}"
        return Piece(sql, (*keys, *(column for _, column in named)))

    # Parts of queries

    def some(self, columns: Sequence[Column]) -> list[Column]:
        return self.rng.sample(list(columns), self.rng.randint(1, min(4, len(columns))))

    def items(self, columns: Sequence[Column]) -> tuple[str, tuple[Column, ...]]:
        """A list of SELECT: columns, some of them twice, under other names, computed or constant."""
        found, shown = list[str](), list[Column]()
        for name, kind in self.some(columns):
            bare = name.split(".")[1]
            to = bare if bare not in (n for n, _ in shown) else self.fresh("n")
            expression, kind = self.computed(name, kind)
            found.append(f"{expression} AS {to}")
            shown.append((to, kind))
            if self.rng.random() < 0.12:
                shown.append((self.fresh("n"), dict(columns)[name]))
                found.append(f"{name} AS {shown[-1][0]}")
        if self.rng.random() < 0.06:
            shown.append((self.fresh("n"), "BIGINT"))
            found.append(f"{self.rng.choice(NUMBERS)} AS {shown[-1][0]}")
        times = [n for n, kind in columns if kind == TIME]
        if len(times) > 1 and self.rng.random() < 0.4:
            shown.append((self.fresh("n"), SPAN))
            found.append(f"{' - '.join(self.rng.sample(times, 2))} AS {shown[-1][0]}")
        return ", ".join(found), tuple(shown)

    def computed(self, name: str, kind: str) -> Column:
        if self.rng.random() < 0.85:
            return name, kind
        if kind == TIME:
            return self.rng.choice([f"{name} + INTERVAL 1 HOUR", f"DATE_TRUNC('day', {name})"]), kind
        if kind == "BIGINT":
            return self.rng.choice([f"{name} + 1", f"64 - {name}", f"{name} * 2", f"ABS({name})"]), kind
        return (f"UPPER({name})", kind) if kind == "STRING" else (name, kind)

    def where(self, columns: Sequence[Column], share: float) -> str:
        if self.rng.random() > share:
            return ""
        several = [self.condition(columns) for _ in range(self.rng.choice([1, 1, 2]))]
        return f" WHERE {' AND '.join(several)}"

    def condition(self, columns: Sequence[Column]) -> str:
        name, kind = self.rng.choice(list(columns))
        others = [n for n, k in columns if k == kind]
        if kind == SPAN:
            return f"{name} {self.rng.choice(['<', '<=', '=', '>'])} INTERVAL {self.rng.choice([0, 1, 2])} HOURS"
        value, second = (literal(self.rng.choice(self.pool[kind])) for _ in range(2))
        if kind not in TIMES or kind == "BOOLEAN":
            return self.rng.choice([name, f"NOT {name}", f"{name} IS NOT NULL"])
        forms = [
            f"{name} = {value}",
            f"{name} IN ({value}, {second})",
            f"{name} {self.rng.choice(['<', '<=', '>', '>='])} {value}",
            f"{name} >= {value} AND {name} <= {second}",
            f"{name} {self.rng.choice(['=', '=', '<', '<=', '<>'])} {self.rng.choice(others)}",
            f"{name} IS NOT NULL",
            f"({name} = {value} OR {name} = {self.rng.choice(others)})",
        ]
        return self.oddly(self.rng.choice(forms))
