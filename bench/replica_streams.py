"""Streams of events as replicas give them: in another order each, with other revisions, and with stables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from punctum.algebra.schema import Schema
from punctum.lmerge.elements import element_schema, stable
from punctum.operators.columns import ColumnarSlice, empty

SCHEMA = element_schema(Schema.of(n="BIGINT", text="STRING"))
SLICE, GAP, ACTIVE = 10_000, 20, 10_000
Numbers = npt.NDArray[np.int64]
Feed = Iterator[list[ColumnarSlice]]


@dataclass(frozen=True)
class Presentation:
    """A stream: elements in the order of their arrival, and before which of them a stable comes, of what time."""

    rows: pl.DataFrame
    stables: Numbers
    times: Numbers

    def slices(self, ends: Sequence[int]) -> Iterator[ColumnarSlice]:
        """The elements up to each end, with the last stable among them, which is the furthest."""
        start = 0
        for end in ends:
            there = (self.stables >= start) & (self.stables < end)
            said = (stable(SCHEMA, int(self.times[there][-1])),) if there.any() else ()
            yield ColumnarSlice(self.rows.slice(start, end - start), said)
            start = end


def events(count: int, seed: int = 17, lifetime: int | None = None) -> pl.DataFrame:
    """The events that replicas stand for, by start."""
    draw = np.random.default_rng(seed)
    vs = np.cumsum(draw.integers(0, GAP + 1, count))
    lives = draw.integers(1, GAP * ACTIVE if lifetime is None else 2 * lifetime, count)
    texts = draw.integers(0, 256, (count, 50), dtype=np.uint8)
    return pl.DataFrame(
        {
            "n": draw.integers(0, 401, count),
            "text": pl.Series([row.tobytes().hex() for row in texts]),
            "_vs": vs,
            "_ve": vs + lives,
        }
    )


def elements(events: pl.DataFrame, old: pl.Series | None = None) -> pl.DataFrame:
    """Events as inserts, or as adjusts from other ends."""
    adjust = old is not None
    least = pl.min_horizontal("_ve", "_vold") if adjust else pl.col("_vs")
    vold = pl.lit(None, pl.Int64) if old is None else old
    return (
        events.with_columns(vold.alias("_vold"), _adjust=pl.lit(adjust))
        .with_columns(least.alias("_from"))
        .select(SCHEMA.names)
        .cast(empty(SCHEMA).schema)
    )


def arriving(rows: pl.DataFrame, at: npt.NDArray[np.float64], share: float, seed: int) -> Presentation:
    """Elements in the order of times, with so many stables for each element, each as far as the later ones allow."""
    order = np.argsort(at, kind="stable")
    rows = rows[order]
    later = np.minimum.accumulate(rows["_from"].to_numpy()[::-1])[::-1]
    places = np.flatnonzero(np.random.default_rng(seed).random(rows.height) < share)
    return Presentation(rows, places, later[places])


def present(events: pl.DataFrame, seed: int, disorder: float = 0.0, share: float = 0.01) -> Presentation:
    """Inserts of all events; some of them come later than others that start after them."""
    draw = np.random.default_rng(seed)
    late = (draw.random(events.height) < disorder) * draw.random(events.height) * GAP * 1_000
    return arriving(elements(events), events["_vs"].to_numpy() + late, share, seed)


def revised(events: pl.DataFrame, seed: int, disorder: float, share: float, adjusted: float = 0.56) -> Presentation:
    """A presentation in which a part of the events comes with an early end that is adjusted later."""
    draw = np.random.default_rng(seed)
    chosen = draw.random(events.height) < adjusted
    vs, ve = events["_vs"].to_numpy(), events["_ve"].to_numpy()
    first = np.where(chosen, vs + np.maximum(1, (ve - vs) // 2), ve)
    late = (draw.random(events.height) < disorder) * draw.random(events.height) * GAP * 1_000
    begun = vs + late
    inserts = elements(events.with_columns(pl.Series("_ve", first)))
    changes = elements(events.filter(pl.Series(chosen)), pl.Series(first[chosen]))
    changed = begun[chosen] + 1 + draw.random(int(chosen.sum())) * GAP * 500
    return arriving(pl.concat([inserts, changes]), np.concatenate([begun, changed]), share, seed)


def together(inputs: Sequence[Presentation], size: int = SLICE) -> Feed:
    """Slices of all inputs, one of each at a time."""
    longest = max(each.rows.height for each in inputs)
    ends = [[min(end, each.rows.height) for end in range(size, longest + size, size)] for each in inputs]
    return (list(pieces) for pieces in zip(*(p.slices(e) for p, e in zip(inputs, ends, strict=True)), strict=True))
