"""Case R3-: as R3, with an index for each input and one for the output, so that each has its own copy of the payloads.

It shows the first insert and adjusts at a stable. It is here to be compared with: it needs memory for each input, and
looks into several indexes for each element.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import polars as pl

from punctum.algebra.schema import Schema
from punctum.errors import SqlError
from punctum.lmerge.elements import FOREVER, HIDDEN, NEVER, VE, VS, Numbers, numbers
from punctum.lmerge.index import Index, MergeStep, changed
from punctum.lmerge.keyed import Mask, TakenEvents, founded
from punctum.lmerge.nodes import Nodes
from punctum.lmerge.policies import OutputPolicy
from punctum.operators.columns import empty
from punctum.operators.operator import Metadata
from punctum.operators.table import Table


class Single:
    """Events and their ends."""

    def __init__(self, keys: pl.DataFrame) -> None:
        self.nodes = Nodes(keys)
        self.ends = Table(pl.DataFrame(schema={VS: pl.Int64(), VE: pl.Int64()}))

    @property
    def vs(self) -> Numbers:
        """The starts."""
        return self.ends.frame()[VS].to_numpy()

    @property
    def ve(self) -> Numbers:
        """The ends."""
        return self.ends.frame()[VE].to_numpy()

    def get(self, keys: pl.DataFrame) -> Numbers:
        """The ends of events that are all different; ``NEVER`` for those that are not here."""
        located = self.nodes.find(keys)
        at = located.at[located.number]
        return np.where(at < 0, NEVER, self.ve[at] if len(self.ve) else NEVER)

    def put(self, keys: pl.DataFrame, ve: Numbers) -> None:
        """Give events that are all different ends; ``NEVER`` removes them."""
        located = self.nodes.find(keys)
        at = located.at[located.number]
        here, ends = at >= 0, self.ve.copy()
        ends[at[here]] = ve[here]
        moved = np.zeros(len(ends), dtype=bool)
        moved[at[here]] = True
        self.ends.rewrite(pl.Series(moved), pl.DataFrame({VS: self.vs, VE: ends}))
        self.retain(ends != NEVER)
        new = ~here & (ve != NEVER)
        fresh = keys.filter(pl.Series(new))
        self.nodes.append(fresh, located.hashes[located.number[new]])
        self.ends.append(pl.DataFrame({VS: numbers(fresh[VS]), VE: ve[new]}))

    def retain(self, keep: Mask) -> None:
        """Keep the events where a mask is true."""
        self.nodes.retain(keep)
        self.ends.retain(pl.Series(keep))


class Separate(Index):
    """The indexes of case R3-."""

    def __init__(self, schema: Schema, inputs: int, policy: OutputPolicy) -> None:
        super().__init__()
        if policy != OutputPolicy():
            raise SqlError("case R3- has no policies", "it exists for comparison", "use case R3")
        self._schema = schema
        self._keys = [*(name for name in schema.names if name not in HIDDEN), VS]
        self._inputs = [Single(empty(schema).select(self._keys)) for _ in range(inputs)]
        self._out = Single(empty(schema).select(self._keys))

    def apply(self, rows: list[pl.DataFrame], step: MergeStep) -> pl.DataFrame:
        """Take rows of each input, then the step's stable."""
        given = [self._take(n, piece, step) for n, piece in enumerate(rows) if piece.height]
        if step.lead is not None:
            given += self._freeze(step, step.lead)
        return pl.concat(given) if given else empty(self._schema)

    def _take(self, number: int, rows: pl.DataFrame, step: MergeStep) -> pl.DataFrame:
        """Take an input's rows into its index, and show what is new to the output."""
        own, taken = self._inputs[number], TakenEvents.of([rows]).above(step.before, self._out.vs)
        located = own.nodes.find(taken.rows.select(self._keys))
        keys = taken.rows[located.first].select(self._keys)
        vs, shown, old = taken.vs[located.first], self._out.get(keys), own.get(keys)
        known = (vs >= step.before) | (shown != NEVER)
        taken = taken.at(known[located.number], located.number)
        taken, bad = founded(taken, old[:, None])
        self.bad += [replace(refused, input=number) for refused in bad]
        ends = old.copy()
        ends[taken.node] = taken.ends
        own.put(keys, ends)
        new = (shown == NEVER) & (ends != NEVER) & (vs >= step.before)
        return self._change(keys.filter(pl.Series(new)), np.full(int(new.sum()), NEVER), ends[new])

    def _change(self, keys: pl.DataFrame, old: Numbers, new: Numbers) -> pl.DataFrame:
        """Change the output's ends of events."""
        self._out.put(keys, new)
        return changed(self._schema, keys.drop(VS), numbers(keys[VS]), old, new)

    def _freeze(self, step: MergeStep, lead: int) -> list[pl.DataFrame]:
        """Bring the output to where the leading input is, and purge what is final."""
        known = pl.concat([self._out.nodes.table.frame(), self._inputs[lead].nodes.table.frame()]).unique(
            maintain_order=True
        )
        known = known.filter(pl.Series(numbers(known[VS]) < step.after))
        vs, out, end = numbers(known[VS]), self._out.get(known), self._inputs[lead].get(known)
        end = self._fallen(known, vs, out, end, step)
        wrong = (end != out) & ((end < step.after) | (out < step.after))
        given = self._change(known.filter(pl.Series(wrong)), out[wrong], end[wrong])
        final = (end < step.after) | (step.after == FOREVER)
        self._out.put(known.filter(pl.Series(final)), np.full(int(final.sum()), NEVER))
        for index in self._inputs:
            index.retain(self._supported(index, step))
        return [given]

    def _supported(self, index: Single, step: MergeStep) -> npt.NDArray[np.bool_]:
        """Which events of an input start later than the stable, or are still in the output."""
        keep = index.vs >= step.after
        early = np.flatnonzero(~keep)
        keep[early] = self._out.get(index.nodes.table.frame()[early]) != NEVER
        return keep

    def _fallen(self, known: pl.DataFrame, vs: Numbers, out: Numbers, end: Numbers, step: MergeStep) -> Numbers:
        """The ends on the leading input, or on the next that can still be followed where an event is half frozen."""
        lost = (vs < step.before) & (end < step.before)
        if not lost.any():
            return end
        end, keys = end.copy(), known.filter(pl.Series(lost))
        best = out[lost]
        for n in reversed(step.order):
            other = self._inputs[n].get(keys)
            best = np.where(other >= step.before, other, best)
        end[lost] = best
        return end

    def drop(self, number: int) -> None:
        """Forget all elements of an input."""
        self._inputs[number].retain(np.zeros(len(self._inputs[number].nodes), dtype=bool))

    def _singles(self) -> dict[str, Single]:
        return {f"in{n}": index for n, index in enumerate(self._inputs)} | {"out": self._out}

    def tables(self) -> dict[str, Table]:
        """The events of each input and of the output, and their ends."""
        nodes = {f"{name}.nodes": index.nodes.table for name, index in self._singles().items()}
        return nodes | {f"{name}.ends": index.ends for name, index in self._singles().items()}

    def restore(self, tables: dict[str, Table]) -> None:
        """Resume with the rows that another one kept."""
        for name, index in self._singles().items():
            index.nodes.restore(tables[f"{name}.nodes"])
            index.ends = tables[f"{name}.ends"]

    def metadata(self) -> Metadata:
        """Nothing."""
        return {}

    def restore_metadata(self, metadata: Metadata) -> None:
        """Nothing."""
