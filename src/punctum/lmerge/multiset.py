"""Case R4: no restriction; several events may have the same payload and start, and even the same end.

A row for each start and payload, and for each of them and each end how many such events are on each input and on the
output (the paper's in³t, flat). Adjusts of a slice count together: each takes one event from its old end and adds one
at its new end, in whatever order they stand.

Where the output must change, what it has too much and what it lacks are paired in the order of their ends; of these
pairs those are adjusted for which the stable leaves no later time, and what is left over is removed or inserted, as
long as the start is not frozen.
"""

import math
from dataclasses import dataclass

import numpy as np
import polars as pl

from punctum.algebra.schema import Schema
from punctum.lmerge.elements import FOREVER, HIDDEN, NEVER, VE, VOLD, VS, Numbers, numbers
from punctum.lmerge.index import Bad, Index, MergeStep, changed
from punctum.lmerge.keyed import OUT, UNFOUNDED, Mask, Matrix, TakenEvents
from punctum.lmerge.nodes import Hashes, Nodes
from punctum.lmerge.policies import Adjusting, Inserting, OutputPolicy
from punctum.operators.columns import empty
from punctum.operators.operator import Metadata
from punctum.operators.table import Table

NODE = "_node"
"""The column that numbers starts and payloads."""


@dataclass
class Cells:
    """Ends of events: the node and the end of each, in order, and how many events each input and the output have.

    And which of them are kept already, in the order of their table.
    """

    node: Numbers
    ve: Numbers
    counts: Matrix
    kept: Numbers

    def totals(self, nodes: int) -> Matrix:
        """How many events of each node each input and the output have."""
        total = np.zeros((nodes, self.counts.shape[1]), dtype=np.int64)
        np.add.at(total, self.node, self.counts)
        return total


class Changes:
    """What happens to the output: events of nodes, from old ends to new ones; ``NEVER`` is no event."""

    def __init__(self) -> None:
        self._parts: list[tuple[Numbers, Numbers, Numbers]] = []

    def add(self, node: Numbers, old: Numbers, new: Numbers) -> None:
        """Some more."""
        self._parts.append((node, old, new))

    def all(self) -> tuple[Numbers, Numbers, Numbers]:
        """All of them."""
        none = np.empty(0, dtype=np.int64)
        node, old, new = (np.concatenate([none, *(part[n] for part in self._parts)]) for n in range(3))
        return node, old, new


class Multiset(Index):
    """The index of case R4."""

    def __init__(self, schema: Schema, inputs: int, policy: OutputPolicy) -> None:
        super().__init__()
        self._schema, self._policy, self._inputs = schema, policy, inputs
        self._keys = [*(name for name in schema.names if name not in HIDDEN), VS]
        self._nodes = Nodes(empty(schema).select(self._keys))
        self._names = [*(f"in{n}" for n in range(inputs)), "out"]
        self._starts = Table(pl.DataFrame(schema={NODE: pl.Int64(), VS: pl.Int64()}))
        self._ends = Table(pl.DataFrame(schema=dict.fromkeys([NODE, VE, *self._names], pl.Int64())))
        self._next, self._latest = 0, np.full(inputs, NEVER)

    def apply(self, rows: list[pl.DataFrame], step: MergeStep) -> pl.DataFrame:
        """Take rows of each input, then the step's stable."""
        taken = TakenEvents.of(rows).above(step.before, self._starts.frame()[VS].to_numpy())
        keys = taken.rows.select(self._keys)
        located = self._nodes.find(keys)
        kept, first = len(self._nodes), located.first
        new = (located.at < 0) & (taken.vs[first] >= step.before)
        at = np.where(new, kept + np.cumsum(new) - 1, located.at)
        fresh = keys[first[new]]
        starts = np.concatenate([self._starts.frame()[VS].to_numpy(), taken.vs[first[new]]])
        node = at[located.number]
        taken = taken.at(node >= 0, node)
        cells = self._counted(taken)
        if self._policy.insert is Inserting.LATEST:
            np.maximum.at(self._latest, taken.source, taken.vs)
        touched = np.full(len(starts), -1)
        touched[taken.node] = taken.source

        changes = Changes()
        gone = self._frozen(starts, cells, step, changes)
        self._early(starts, cells, step, touched, changes)
        self._follow(starts, cells, step, np.where(gone, -1, touched), changes)
        given = self._given(fresh, starts, *changes.all())
        self._keep(fresh, located.hashes[new], starts, cells, gone)
        return given

    def _counted(self, taken: TakenEvents) -> Cells:
        """What is kept with what is new, less adjusts of what their input does not have."""
        kept = self._ends.frame()
        known = np.searchsorted(self._starts.frame()[NODE].to_numpy(), kept[NODE].to_numpy())
        vold, there = numbers(taken.rows[VOLD]), taken.ve != taken.vs
        adds, takes = np.flatnonzero(there), np.flatnonzero(taken.adjust)
        node = np.concatenate([known, taken.node[adds], taken.node[takes]])
        ve = np.concatenate([kept[VE].to_numpy(), taken.ve[adds], vold[takes]])
        order = np.lexsort((ve, node))
        differs = np.r_[True, (np.diff(node[order]) != 0) | (np.diff(ve[order]) != 0)][: len(order)]
        cell = np.empty(len(order), dtype=np.int64)
        cell[order] = np.cumsum(differs) - 1
        heads = order[differs]
        counts = np.zeros((len(heads), self._inputs + 1), dtype=np.int64, order="F")
        cells = Cells(node[heads], ve[heads], counts, cell[: len(known)])
        for n, name in enumerate(self._names):
            counts[cells.kept, n] = kept[name].to_numpy()
        plus, minus = cell[len(known) : len(known) + len(adds)], cell[len(known) + len(adds) :]
        np.add.at(cells.counts, (plus, taken.source[adds]), 1)
        np.subtract.at(cells.counts, (minus, taken.source[takes]), 1)
        to = np.full(len(taken.ve), -1)
        to[adds] = plus
        self._founded(taken, cells, takes, minus, to)
        return cells

    def _founded(self, taken: TakenEvents, cells: Cells, takes: Numbers, minus: Numbers, to: Numbers) -> None:
        """Take back adjusts that took more events than there were: of each end the last ones."""
        bad = np.zeros(len(taken.ve), dtype=bool)
        while (cells.counts[:, :OUT] < 0).any():
            sources = taken.source[takes]
            order = np.lexsort((-takes, sources, minus))
            run = np.r_[True, (np.diff(minus[order]) != 0) | (np.diff(sources[order]) != 0)]
            heads = np.flatnonzero(run)
            rank = np.arange(len(order)) - heads[np.cumsum(run) - 1]
            wrong = order[rank < -cells.counts[minus[order], sources[order]]]
            rows = takes[wrong]
            bad[rows] = True
            np.add.at(cells.counts, (minus[wrong], taken.source[rows]), 1)
            moved = rows[to[rows] >= 0]
            np.subtract.at(cells.counts, (to[moved], taken.source[moved]), 1)
            takes, minus = np.delete(takes, wrong), np.delete(minus, wrong)
        for n in np.unique(taken.source[bad]).tolist():
            self.bad.append(Bad(n, taken.rows.filter(pl.Series(bad & (taken.source == n))), UNFOUNDED))

    def _frozen(self, starts: Numbers, cells: Cells, step: MergeStep, changes: Changes) -> Mask:
        """Change what must be changed before the step's stable; the nodes that it makes final."""
        if step.lead is None:
            return np.zeros(len(starts), dtype=bool)
        will, half = starts < step.after, starts < step.before
        at = np.flatnonzero(will[cells.node] & (cells.ve >= step.before))
        more = cells.counts[at, OUT] - cells.counts[at, step.lead]
        pairing = Pairing(cells, at, np.maximum(more, 0), np.maximum(-more, 0), len(starts))
        low = cells.ve[at] < step.after
        urgent = np.maximum(pairing.sums(np.maximum(more, 0) * low), pairing.sums(np.maximum(-more, 0) * low))
        pairing.adjust(urgent, changes)
        pairing.rest(~half, changes)
        held = (cells.counts[:, step.lead] > 0) | (cells.counts[:, OUT] > 0)
        open_ = np.zeros(len(starts), dtype=bool)
        open_[cells.node[held & (cells.ve >= step.after)]] = True
        return will & (~open_ | (step.after == FOREVER))

    def _early(self, starts: Numbers, cells: Cells, step: MergeStep, touched: Numbers, changes: Changes) -> None:
        """Show events before they must be, as the policy has it."""
        if self._policy.insert is Inserting.HALF_FROZEN or not step.order:
            return
        totals = cells.totals(len(starts))
        source, wanted = self._wanted(totals, starts, step)
        lack = np.where(starts >= step.after, np.maximum(wanted - totals[:, OUT], 0), 0)
        if self._policy.insert is Inserting.FIRST:
            lack[touched < 0] = 0
        at = np.flatnonzero(lack[cells.node] > 0)
        deficit = np.maximum(cells.counts[at, source[cells.node[at]]] - cells.counts[at, OUT], 0)
        Pairing(cells, at, np.zeros_like(deficit), deficit, len(starts)).insert(lack, changes)

    def _wanted(self, totals: Matrix, starts: Numbers, step: MergeStep) -> tuple[Numbers, Numbers]:
        """For each node how many events to show, and the input to take them from."""
        order, insert = np.array(step.order), self._policy.insert
        fullest = order[np.argmax(totals[:, order], axis=1)]
        if insert is Inserting.FIRST:
            return fullest, totals[:, order].max(axis=1, initial=0)
        if insert is Inserting.SHARE:
            needed = math.ceil(self._policy.share * len(order))
            return fullest, np.sort(totals[:, order], axis=1)[:, -needed]
        lead = step.order[0]
        if insert is Inserting.LATEST:
            lead = max(step.order, key=lambda n: self._latest[n])
        elif insert is Inserting.FULLEST:
            unfrozen = totals[starts >= step.after].sum(axis=0)
            lead = max(step.order, key=lambda n: unfrozen[n])
        return np.full(len(totals), lead), totals[:, lead]

    def _follow(self, starts: Numbers, cells: Cells, step: MergeStep, touched: Numbers, changes: Changes) -> None:
        """Show other ends before they must be, as the policy has it."""
        if self._policy.adjust is Adjusting.STABLE or not step.order:
            return
        source = touched if self._policy.adjust is Adjusting.AT_ONCE else np.full(len(starts), step.order[0])
        at = np.flatnonzero((source[cells.node] >= 0) & (cells.ve >= step.after))
        more = cells.counts[at, OUT] - cells.counts[at, source[cells.node[at]]]
        pairing = Pairing(cells, at, np.maximum(more, 0), np.maximum(-more, 0), len(starts))
        pairing.adjust(np.full(len(starts), FOREVER), changes)

    def _given(self, fresh: pl.DataFrame, starts: Numbers, node: Numbers, old: Numbers, new: Numbers) -> pl.DataFrame:
        """The output's elements for changes."""
        order = np.argsort(node, kind="stable")
        node, old, new = node[order], old[order], new[order]
        kept = len(self._nodes)
        payload = pl.concat([self._nodes.table.frame()[node[node < kept]], fresh[node[node >= kept] - kept]]).drop(VS)
        return changed(self._schema, payload, starts[node], old, new)

    def _keep(self, fresh: pl.DataFrame, hashes: Hashes, starts: Numbers, cells: Cells, gone: Mask) -> None:
        kept, old = len(self._nodes), self._starts.frame()[NODE].to_numpy()
        ids = np.concatenate([old, np.arange(self._next, self._next + fresh.height)])
        self._next += fresh.height
        live = (cells.counts != 0).any(axis=1) & ~gone[cells.node]
        keep = np.zeros(len(starts), dtype=bool)
        keep[cells.node[live]] = True
        self._keep_ends(ids[cells.node], cells, live)
        self._starts.retain(pl.Series(keep[:kept]))
        self._nodes.retain(keep[:kept])
        self._nodes.append(fresh.filter(pl.Series(keep[kept:])), hashes[keep[kept:]])
        self._starts.append(pl.DataFrame({NODE: ids[kept:], VS: starts[kept:]}).filter(pl.Series(keep[kept:])))

    def _keep_ends(self, ids: Numbers, cells: Cells, live: Mask) -> None:
        """Write the counts that have changed, and those that are new behind them."""
        counts = {name: cells.counts[:, n] for n, name in enumerate(self._names)}
        frame = pl.DataFrame({NODE: ids, VE: cells.ve} | counts)
        kept, before = frame[cells.kept], self._ends.frame()
        moved = np.zeros(kept.height, dtype=bool)
        for name in self._names:
            moved |= kept[name].to_numpy() != before[name].to_numpy()
        self._ends.rewrite(pl.Series(moved), kept)
        self._ends.retain(pl.Series(live[cells.kept]))
        new = live.copy()
        new[cells.kept] = False
        self._ends.append(frame.filter(pl.Series(new)))

    def drop(self, number: int) -> None:
        """Forget all elements of an input."""
        known = self._ends.frame()
        there = known[self._names[number]] != 0
        self._ends.rewrite(there, known.with_columns(pl.lit(0, pl.Int64).alias(self._names[number])))
        self._latest[number] = NEVER

    def tables(self) -> dict[str, Table]:
        """The starts and payloads, and how many events there are with each end."""
        return {"nodes": self._nodes.table, "starts": self._starts, "ends": self._ends}

    def restore(self, tables: dict[str, Table]) -> None:
        """Resume with the rows that another one kept."""
        self._nodes.restore(tables["nodes"])
        self._starts, self._ends = tables["starts"], tables["ends"]

    def metadata(self) -> Metadata:
        """The number of the next node, and the greatest start that each input has inserted."""
        return {"next": self._next, "latest": self._latest.tolist()}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Resume with the metadata of another one."""
        self._next, self._latest = metadata["next"], np.array(metadata["latest"], dtype=np.int64)


class Pairing:
    """Events that the output has too much and events that it lacks, node by node in the order of their ends."""

    def __init__(self, cells: Cells, at: Numbers, surplus: Numbers, deficit: Numbers, nodes: int) -> None:
        self._cells, self._at, self._nodes = cells, at, nodes
        self._more, self._less = np.repeat(at, surplus), np.repeat(at, deficit)
        self._much, self._few = self.sums(surplus), self.sums(deficit)

    def sums(self, values: Numbers) -> Numbers:
        """The sum for each node."""
        total = np.zeros(self._nodes, dtype=np.int64)
        np.add.at(total, self._cells.node[self._at], values)
        return total

    def _ranks(self, some: Numbers, many: Numbers) -> Numbers:
        """The how manieth each one is in its node."""
        return np.arange(len(some)) - (np.cumsum(many) - many)[self._cells.node[some]]

    def adjust(self, most: Numbers, changes: Changes) -> None:
        """Give surplus events the ends that are lacking, at most so many in each node."""
        node, rank = self._cells.node[self._more], self._ranks(self._more, self._much)
        take = rank < np.minimum(self._few, most)[node]
        old = self._more[take]
        new = self._less[(np.cumsum(self._few) - self._few)[node[take]] + rank[take]]
        self._move(old, new, changes)

    def rest(self, where: Mask, changes: Changes) -> None:
        """Remove what is too much, insert what is lacking, beyond what pairs, in some nodes."""
        none = np.empty(0, dtype=np.int64)
        over = self._ranks(self._more, self._much) >= self._few[self._cells.node[self._more]]
        self._move(self._more[over & where[self._cells.node[self._more]]], none, changes)
        under = self._ranks(self._less, self._few) >= self._much[self._cells.node[self._less]]
        self._move(none, self._less[under & where[self._cells.node[self._less]]], changes)

    def insert(self, most: Numbers, changes: Changes) -> None:
        """Insert what is lacking, at most so many in each node."""
        take = self._ranks(self._less, self._few) < most[self._cells.node[self._less]]
        self._move(np.empty(0, dtype=np.int64), self._less[take], changes)

    def _move(self, old: Numbers, new: Numbers, changes: Changes) -> None:
        cells = self._cells
        out = cells.counts[:, OUT]
        np.subtract.at(out, old, 1)
        np.add.at(out, new, 1)
        some = old if len(old) else new
        never = np.full(len(some), NEVER)
        changes.add(cells.node[some], cells.ve[old] if len(old) else never, cells.ve[new] if len(new) else never)
