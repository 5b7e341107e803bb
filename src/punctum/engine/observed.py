"""What a batch has counted as Spark's own observed metrics, for listeners of the session.

``onQueryProgress`` of a StreamingQueryListener has it. It is computed from the messages of the batch, of which each
bucket and stage has sent some. That takes a tenth of a small batch, so it is done for queries that begin when somebody
listens.
"""

from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812

from punctum.engine.exchange.kinds import Kind

OBSERVED = "punctum"
"""The name of the metrics."""
_SUMS = ("rows_in", "rows_purged", "puncts_in", "puncts_out")
_COUNTS = f"from_json(if(kind = '{Kind.METRICS}', detail, NULL), 'map<string,map<string,string>>')"
_LINES = f"if(kind = '{Kind.QUARANTINE}', split(detail, '\\n'), array())"


def listened(spark: SparkSession) -> bool:
    """Whether a session has listeners for its queries."""
    streams: Any = spark._jsparkSession.streams()
    return len(streams.listListeners()) > 0


def observed(slices: DataFrame, last: str) -> DataFrame:
    """The messages of batches, observed; given the operator whose rows are the result, by its name in metrics."""
    counted = {"rows_out": f"bigint({_COUNTS}['{last}']['rows_out'])"}
    counted |= {what: _over(f"map_values({_COUNTS})", f"coalesce(bigint(each['{what}']), 0L)") for what in _SUMS}
    counted["quarantined"] = _over(_LINES, "coalesce(bigint(get_json_object(each, '$.count')), 1L)")
    sums = [F.expr(f"coalesce(sum({expression}), 0L) AS {what}") for what, expression in counted.items()]
    return slices.observe(OBSERVED, *sums)


def _over(several: str, term: str) -> str:
    """The sum of an expression over an array."""
    return f"aggregate({several}, 0L, (sum, each) -> sum + {term})"
