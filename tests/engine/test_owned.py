"""A sink with the results of another query: a new checkpoint is refused there, unless it is told to add to them."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from punctum.engine.sinks.owned import check_directory_is_free
from punctum.errors import QueryError
from punctum.query import Query
from punctum.session import Session

SCRIPT = """
CREATE STREAM bid (itemid BIGINT) USING json OPTIONS (path 'bid');
CREATE SINK large USING json OPTIONS (path 'out');
INSERT INTO large SELECT itemid FROM bid WHERE itemid > 4;
"""
ANOTHER = r"the checkpoint is new, but .*out has results of another query"


def test_whose_results_a_directory_has(tmp_path: Path) -> None:
    check_directory_is_free(tmp_path / "none", "0123abcd")
    for name in ("part-0123abcd-000000-1.json", "part-00000.parquet", "part-a-1-x", "_SUCCESS", "notes.txt"):
        (tmp_path / name).touch()
    (tmp_path / ".punctum" / "fedcba98").mkdir(parents=True)
    check_directory_is_free(tmp_path, "0123abcd")
    (tmp_path / "part-fedcba98-000012-1.json").touch()
    with pytest.raises(QueryError) as caught:
        check_directory_is_free(tmp_path, "0123abcd")
    assert caught.value.detail == "part-fedcba98-000012-1.json was written with another checkpoint"


def test_a_new_checkpoint_on_the_results_of_another_query(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "bid").mkdir()
    (tmp_path / "bid/1.json").write_text('{"itemid": 17}\n')

    def query() -> Query:
        (made,) = Session(spark).script(SCRIPT, tmp_path)
        return made

    def rows() -> int:
        return sum(file.read_text().count("\n") for file in (tmp_path / "out").glob("part-*"))

    query().start(tmp_path / "first", available_now=True).wait()
    query().start(tmp_path / "first", available_now=True).wait()
    for _ in range(2):
        with pytest.raises(QueryError, match=ANOTHER) as caught:
            query().start(tmp_path / "second", available_now=True)
        assert caught.value.hint.endswith("punctum run --add-to-sink, start(add_to_sink=True)")
    assert rows() == 1
    query().start(tmp_path / "second", available_now=True, add_to_sink=True).wait()
    query().start(tmp_path / "second", available_now=True).wait()
    assert rows() == 2, "the checkpoint is no longer new"
    for file in (tmp_path / "out").glob("part-*"):
        file.unlink()
    query().start(tmp_path / "third", available_now=True).wait()
    assert rows() == 1
