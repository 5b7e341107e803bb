"""Sort keys: what rows are ordered by."""

from dataclasses import dataclass


@dataclass(frozen=True)
class SortKey:
    """An attribute to sort by. As in Spark, NULL comes first when ascending and last when descending, unless told."""

    name: str
    descending: bool = False
    nulls_first: bool | None = None

    @property
    def null_leads(self) -> bool:
        """Whether NULL comes before all values."""
        return self.nulls_first if self.nulls_first is not None else not self.descending
