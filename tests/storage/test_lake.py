"""Tables of Delta Lake and Iceberg as sinks: the newest packages are for Spark 4.2 and 4.1, and Spark 4.3 says so.

When one of them fits, this test fails: then it is time for one of rows that are there once, however often a batch is
done.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lanes import PATIENCE, long
from storage.jars import NoJarsError, fetched

STREAM = """
CREATE STREAM bid (item BIGINT, price BIGINT, PUNCTUATED ON (item))
  USING json OPTIONS (path 'in', maxFilesPerTrigger 1);
"""
INSERT = "INSERT INTO total SELECT item, SUM(price) AS price FROM bid GROUP BY item;\n"
SINKS = {
    "delta": "CREATE SINK total USING delta OPTIONS (path 'out');\n",
    "iceberg": "CREATE SINK total USING iceberg OPTIONS (table 'lake.db.total');\n",
}
SETTINGS = {
    "delta": {
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    },
    "iceberg": {
        "spark.sql.catalog.lake": "org.apache.iceberg.spark.SparkCatalog",
        "spark.sql.catalog.lake.type": "hadoop",
        "spark.sql.catalog.lake.warehouse": "warehouse",
    },
}


def run(directory: Path, told: dict[str, str]) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "punctum", "run", "q.sql", "--checkpoint", "state", "--available-now"]
    command += ["--master", "local[1]"]
    command += [part for name, value in told.items() for part in ("--conf", f"{name}={value}")]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=PATIENCE, check=False)


@long
@pytest.mark.command
@pytest.mark.parametrize("lake", SINKS)
def test_a_package_for_another_spark(lake: str, tmp_path: Path) -> None:
    try:
        jars = fetched(Path(__file__).with_name(f"{lake}.xml"))
    except NoJarsError as error:
        pytest.skip(str(error))
    (tmp_path / "q.sql").write_text(STREAM + SINKS[lake] + INSERT)
    (tmp_path / "in").mkdir()
    for n in range(3):
        lines = [{"item": n, "price": n}, {"$punct": {"item": n}}]
        (tmp_path / "in" / f"{n}.json").write_text("".join(json.dumps(line) + "\n" for line in lines))
    done = run(tmp_path, SETTINGS[lake] | {"spark.jars": ",".join(map(str, jars))})
    assert done.returncode in (1, 2), done.stderr
    assert "take the package that is made for Spark 4.3" in done.stderr, done.stderr
    assert "Error" in done.stderr and "Traceback" not in done.stderr, done.stderr
