"""What is known of streams: declared before measured before guessed, and another plan is best when it is other."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from punctum.analyse.safety.register import QueryAnalysis, verdict
from punctum.cli import cli
from punctum.errors import SchemaError, SqlError
from punctum.parse import parse_script
from punctum.plan.joins.choose import PlanOptions, Schemes, chosen, total
from punctum.plan.joins.cost import Objective, Purge
from punctum.plan.joins.statistics import DELAY, RATE, Statistics
from punctum.plan.joins.trees import tree_text

STREAM = "CREATE STREAM {} (k BIGINT, PUNCTUATED ON (k){}) USING json OPTIONS (path '{}'{});"
QUERY = (
    "CREATE SINK o USING json OPTIONS (path 'o');"
    "INSERT INTO o SELECT a.k FROM a JOIN b ON a.k = b.k JOIN c ON b.k = c.k;"
)


def script(**options: str) -> str:
    return "".join(STREAM.format(name, "", name, options.get(name, "")) for name in "abc") + QUERY


def query(sql: str) -> QueryAnalysis:
    (analysis,) = verdict(parse_script(sql))
    return analysis


def best(sql: str, statistics: Statistics) -> str:
    analysis = query(sql)
    (end,) = analysis.ends
    tree = chosen(end, analysis.inference, PlanOptions(Objective.THROUGHPUT, statistics=statistics))
    return tree_text(tree, analysis.joins[0].streams)


def test_what_is_declared_goes_before_what_is_measured() -> None:
    slow_a, slow_c = ({"a": 1.0, "b": 1.0}, {"b": 1.0, "c": 1.0})
    assert best(script(), Statistics(slow_a)) == "((a, b), c)"
    assert best(script(), Statistics(slow_c)) == "(a, (b, c))"
    declared = script(a=", rate '1'", b=", rate '1'", c=", rate '1000'")
    assert best(declared, Statistics(slow_c)) == "((a, b), c)"


def test_measures() -> None:
    sql = script(a=", rate '5', punctuation_delay '2 minutes', distinct.k '77'", b=", rate '7.5'")
    analysis = query(sql)
    (end,) = analysis.ends
    block, join = analysis.inference.block(end), analysis.inference.join(end)
    assert block is not None
    measures = Statistics(delays={"b": 9.0}).measures(block, join, analysis.inference)
    assert measures.rates == (5.0, 7.5, RATE) and measures.delays == (120.0, 9.0, DELAY)
    assert measures.distinct == (77.0,) and measures.punctuation_rates == (77 / 120, 7.5, 77 / 60)


def test_results_of_two_streams_tell_how_many_values_they_share() -> None:
    analysis = query(script(a=", rate '10'", b=", rate '1000'"))
    (end,) = analysis.ends
    block, join = analysis.inference.block(end), analysis.inference.join(end)
    assert block is not None
    some = Statistics(results={frozenset("ab"): 400.0})
    assert some.measures(block, join, analysis.inference).distinct == ((10 * 60_000 + 1000 * 600) / 400,)


@pytest.mark.parametrize(
    "option, message",
    [
        ("rate 'much'", "rate of a is 'much'\n  hint: a number greater than 0"),
        ("rate '-1'", "rate of a is '-1'\n  hint: a number greater than 0"),
        ("rate 'nan'", "rate of a is 'nan'\n  hint: a number greater than 0"),
        ("punctuation_delay 'soon'", "punctuation_delay of a is 'soon'"),
        ("distinct.k '0'", "distinct.k of a is '0'\n  hint: a number greater than 0"),
    ],
)
def test_what_is_no_number(option: str, message: str) -> None:
    with pytest.raises(SqlError) as caught:
        query(script(a=f", {option}"))
    assert str(caught.value).startswith(message)


def test_explain_reads_what_a_run_has_measured(tmp_path: Path) -> None:
    (tmp_path / "script.sql").write_text(script())
    metrics = tmp_path / "state" / "o" / "punctum" / "metrics.jsonl"
    metrics.parent.mkdir(parents=True)
    both = {"rows_from a": 10, "rows_from b": 10, "rows_in": 20, "rows_kept": 50, "rows_out": 1}
    lines = [json.dumps({"batch": n, "time": 10.0 * n, "operators": {"s1o0": both}}) for n in range(5)]
    metrics.write_text("\n".join(lines) + '\n{"batch": 5, "ti')
    arguments = ["explain", str(tmp_path / "script.sql"), "--objective", "throughput", "--checkpoint"]
    output = CliRunner().invoke(cli, [*arguments, str(tmp_path / "state")]).output
    _, _, table = output.partition("the best for throughput first\n")
    assert table.splitlines()[0].split("  ")[2] == "((a, b), c)"
    refused = CliRunner().invoke(cli, [*arguments, str(tmp_path)])
    assert isinstance(refused.exception, SchemaError) and "contains no metrics" in str(refused.exception)


def test_options_of_plans() -> None:
    """Fewer schemes mean fewer punctuations to take and longer to wait; a lazy purge means less work and more rows."""
    sql = script().replace("PUNCTUATED ON (k)) USING json OPTIONS (path 'a'", "{}) USING json OPTIONS (path 'a'")
    sql = sql.replace("a (k BIGINT, {}", "a (k BIGINT, x BIGINT, PUNCTUATED ON (k), PUNCTUATED ON (x, k)")
    sql = sql.replace("b (k BIGINT", "b (k BIGINT, x BIGINT").replace("a.k = b.k", "a.k = b.k AND a.x = b.x")
    analysis = query(sql)
    every, fewer = (total(analysis, PlanOptions(schemes=schemes)) for schemes in Schemes)
    assert fewer.work < every.work
    lazy = total(analysis, PlanOptions(purge=Purge.LAZY))
    assert lazy.work < every.work and lazy.memory > every.memory
