"""Case R3: inserts and adjusts in any order, start and payload are a key.

A row for each start and payload (the upper tier of the paper's in²t) and beside it the event's end on each input and
on the output (the lower one); payloads are shared by the inputs. An event is kept until it is fully frozen on the
input that leads. The output changes when it must (lines 22 to 27 of algorithm R3), and before that as the policy has
it.

Two cases that the paper's inputs do not have. When the leading input lacks an event that is half frozen already, or
has ended it before the stable, the output cannot follow: it takes the end of the next input, in the order of their
stables, that it can still take, or leaves what it has.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import polars as pl

from punctum.algebra.schema import Schema
from punctum.lmerge.elements import ADJUST, FOREVER, HIDDEN, NEVER, VE, VS, Numbers, numbers
from punctum.lmerge.index import Bad, Index, MergeStep, changed
from punctum.lmerge.nodes import Hashes, Nodes
from punctum.lmerge.policies import Adjusting, Inserting, OutputPolicy
from punctum.operators.columns import empty
from punctum.operators.table import Table

Mask = npt.NDArray[np.bool_]
Matrix = npt.NDArray[np.int64]
"""The ends of events: a row for each event, a column for each input and one for the output."""
OUT = -1
"""The output's column among the ends."""
UNFOUNDED = "an adjust of an event that this input does not have"


@dataclass(frozen=True)
class TakenEvents:
    """Rows of all inputs: which input each is from, its times, whether it adjusts, and at which node it is."""

    rows: pl.DataFrame
    source: Numbers
    vs: Numbers
    ve: Numbers
    adjust: Mask
    node: Numbers

    @staticmethod
    def of(rows: list[pl.DataFrame]) -> "TakenEvents":
        """The rows of each input, at no node yet."""
        both = pl.concat(rows)
        source = np.repeat(np.arange(len(rows)), [piece.height for piece in rows])
        adjust = both[ADJUST].to_numpy()
        return TakenEvents(both, source, numbers(both[VS]), numbers(both[VE]), adjust, np.full(both.height, -1))

    def at(self, mask: Mask, node: Numbers) -> "TakenEvents":
        """Those where a mask is true, at nodes."""
        if mask.all():
            return replace(self, node=node)
        return TakenEvents(
            self.rows.filter(pl.Series(mask)),
            self.source[mask],
            self.vs[mask],
            self.ve[mask],
            self.adjust[mask],
            node[mask],
        )

    def above(self, stable: int, kept: Numbers) -> "TakenEvents":
        """Those that start at a stable or later, and those that may be of an event that is kept, given their starts.

        All others are dropped by lines 6 and 13 of algorithm R3: the rows of a lagging input are not hashed.
        """
        mask = self.vs >= stable
        below = np.flatnonzero(~mask)
        mask[below] = pl.Series(self.vs[below]).is_in(pl.Series(kept).implode()).to_numpy()
        return self.at(mask, self.node)

    @property
    def ends(self) -> Numbers:
        """The ends that they give events; none when they remove one."""
        return np.where(self.ve == self.vs, NEVER, self.ve)


class Keyed(Index):
    """The index of case R3."""

    def __init__(self, schema: Schema, inputs: int, policy: OutputPolicy) -> None:
        super().__init__()
        self._schema, self._policy, self._inputs = schema, policy, inputs
        self._keys = [*(name for name in schema.names if name not in HIDDEN), VS]
        self._nodes = Nodes(empty(schema).select(self._keys))
        self._names = [*(f"in{n}" for n in range(inputs)), "out"]
        self._ends = Table(pl.DataFrame(schema=dict.fromkeys([VS, *self._names], pl.Int64())))
        self._latest = np.full(inputs, NEVER)

    def apply(self, rows: list[pl.DataFrame], step: MergeStep) -> pl.DataFrame:
        """Take rows of each input, then the step's stable."""
        taken = TakenEvents.of(rows).above(step.before, self._ends.frame()[VS].to_numpy())
        keys = taken.rows.select(self._keys)
        located = self._nodes.find(keys)
        kept, first = len(self._nodes), located.first
        new = (located.at < 0) & (taken.vs[first] >= step.before)
        at = np.where(new, kept + np.cumsum(new) - 1, located.at)
        fresh = keys[first[new]]
        starts, ends = self._grown(taken.vs[first[new]])

        node = at[located.number]
        taken = taken.at(node >= 0, node)
        taken, bad = founded(taken, ends)
        self.bad += bad
        ends[taken.node, taken.source] = taken.ends  # of several rows for one event the last one counts
        touched = np.full(len(starts), -1)
        touched[taken.node] = taken.source
        self._note(taken)

        out, gone = frozen(starts, ends, step)
        out = self._early(starts, ends, out, step, touched)
        given = self._changed(fresh, starts, ends[:, OUT], out)
        moved = (touched >= 0) | (out != ends[:, OUT])
        ends[:, OUT] = out
        self._keep(fresh, located.hashes[new], starts, ends, moved, ~(gone | (ends == NEVER).all(axis=1)))
        return given

    def _grown(self, starts: Numbers) -> tuple[Numbers, Matrix]:
        """The starts and ends of all nodes, new ones behind the others."""
        kept, size = self._ends.frame(), len(self._ends)
        ends = np.full((size + len(starts), self._inputs + 1), NEVER, order="F")
        for n, name in enumerate(self._names):
            ends[:size, n] = kept[name].to_numpy()
        return np.concatenate([kept[VS].to_numpy(), starts]), ends

    def _note(self, taken: TakenEvents) -> None:
        """Remember the greatest start that each input has inserted, where the policy asks for it."""
        if self._policy.insert is Inserting.LATEST:
            np.maximum.at(self._latest, taken.source, taken.vs)

    def _early(self, starts: Numbers, ends: Matrix, out: Numbers, step: MergeStep, touched: Numbers) -> Numbers:
        """The output's ends with what is shown before it must be."""
        out = out.copy()
        open_ = starts >= step.after
        rows = np.flatnonzero(open_ & (out == NEVER) & ((touched >= 0) | (self._policy.insert is not Inserting.FIRST)))
        out[rows] = self._shown(ends[rows], step, starts, ends)
        if self._policy.adjust is Adjusting.STABLE or not step.order:
            return out
        source = touched if self._policy.adjust is Adjusting.AT_ONCE else np.full(len(out), step.order[0])
        rows = np.flatnonzero((source >= 0) & (out != NEVER) & (open_ | (out >= step.after)))
        wanted = ends[rows, source[rows]]
        can = wanted >= step.after
        if self._policy.adjust is Adjusting.AT_ONCE:
            can |= open_[rows]
        out[rows[can]] = wanted[can]
        return out

    def _shown(self, some: Matrix, step: MergeStep, starts: Numbers, ends: Matrix) -> Numbers:
        """For some events that the output does not have, the ends with which it is to have them now."""
        insert, order = self._policy.insert, list(step.order)
        if insert is Inserting.HALF_FROZEN or not order:
            return np.full(len(some), NEVER)
        if insert is Inserting.FIRST:
            return first_of(some, order)
        if insert is Inserting.SHARE:
            enough = (some[:, order] != NEVER).sum(axis=1) >= math.ceil(self._policy.share * len(order))
            return np.where(enough, first_of(some, order), NEVER)
        if insert is Inserting.LATEST:
            return some[:, max(order, key=lambda n: self._latest[n])]
        if insert is Inserting.FULLEST:
            unfrozen = ends[starts >= step.after]
            return some[:, max(order, key=lambda n: int((unfrozen[:, n] != NEVER).sum()))]
        return some[:, order[0]]

    def _changed(self, fresh: pl.DataFrame, starts: Numbers, old: Numbers, new: Numbers) -> pl.DataFrame:
        """The elements that change the output from old to new ends."""
        rows = np.flatnonzero(old != new)
        kept = len(self._nodes)
        before, behind = rows[rows < kept], rows[rows >= kept] - kept
        payload = pl.concat([self._nodes.table.frame()[before], fresh[behind]]).drop(VS)
        return changed(self._schema, payload, starts[rows], old[rows], new[rows])

    def _keep(
        self, fresh: pl.DataFrame, hashes: Hashes, starts: Numbers, ends: Matrix, moved: Mask, keep: Mask
    ) -> None:
        kept = len(self._nodes)
        frame = pl.DataFrame({VS: starts} | {name: ends[:, n] for n, name in enumerate(self._names)})
        self._ends.rewrite(pl.Series(moved[:kept]), frame[:kept])
        self._ends.retain(pl.Series(keep[:kept]))
        self._nodes.retain(keep[:kept])
        self._nodes.append(fresh.filter(pl.Series(keep[kept:])), hashes[keep[kept:]])
        self._ends.append(frame[kept:].filter(pl.Series(keep[kept:])))

    def drop(self, number: int) -> None:
        """Forget all elements of an input."""
        known = self._ends.frame()
        there = known[self._names[number]] != NEVER
        self._ends.rewrite(there, known.with_columns(pl.lit(NEVER).alias(self._names[number])))
        self._latest[number] = NEVER

    def tables(self) -> dict[str, Table]:
        """The events, and their ends on each input and on the output."""
        return {"nodes": self._nodes.table, "ends": self._ends}

    def restore(self, tables: dict[str, Table]) -> None:
        """Resume with the rows that another one kept."""
        self._nodes.restore(tables["nodes"])
        self._ends = tables["ends"]

    def metadata(self) -> dict[str, list[int]]:
        """The greatest start that each input has inserted."""
        return {"latest": self._latest.tolist()}

    def restore_metadata(self, metadata: dict[str, list[int]]) -> None:
        """Resume with the metadata of another one."""
        self._latest = np.array(metadata["latest"], dtype=np.int64)


def founded(taken: TakenEvents, ends: Matrix) -> tuple[TakenEvents, list[Bad]]:
    """The rows less adjusts of what their input does not have at that moment, given its events' ends before them."""
    refused: list[Bad] = []
    while taken.adjust.any():
        cell = taken.node * ends.shape[1] + taken.source
        adjusted = np.zeros(ends.size, dtype=bool)
        adjusted[cell[taken.adjust]] = True
        rows = np.flatnonzero(adjusted[cell])
        rows = rows[np.argsort(cell[rows], kind="stable")]
        first = np.r_[True, cell[rows[1:]] != cell[rows[:-1]]]
        before = np.r_[NEVER, taken.ends[rows[:-1]]]
        before[first] = ends[taken.node[rows[first]], taken.source[rows[first]]]
        bad = rows[taken.adjust[rows] & (before == NEVER)]
        if not len(bad):
            break
        keep = np.ones(len(cell), dtype=bool)
        keep[bad] = False
        for n in np.unique(taken.source[bad]).tolist():
            refused.append(Bad(n, taken.rows[np.sort(bad[taken.source[bad] == n])], UNFOUNDED))
        taken = taken.at(keep, taken.node)
    return taken, refused


def first_of(ends: Matrix, order: list[int]) -> Numbers:
    """Of each event the end on the first of some inputs that has it."""
    first = np.full(len(ends), NEVER)
    for n in reversed(order):
        first = np.where(ends[:, n] == NEVER, first, ends[:, n])
    return first


def frozen(starts: Numbers, ends: Matrix, step: MergeStep) -> tuple[Numbers, Mask]:
    """The ends that the output must have before the step's stable, and the events that it makes final."""
    out = ends[:, OUT]
    if step.lead is None:
        return out, np.zeros(len(out), dtype=bool)
    will, lead = starts < step.after, ends[:, step.lead]
    lost = (starts < step.before) & (lead < step.before)
    if lost.any():
        others = np.where(ends[lost] < step.before, NEVER, ends[lost])
        lead = lead.copy()
        lead[lost] = first_of(others, [*step.order, ends.shape[1] - 1])
    wrong = will & (lead != out) & ((lead < step.after) | (out < step.after))
    gone = will & ((lead < step.after) | (step.after == FOREVER))
    return np.where(wrong, lead, out), gone
