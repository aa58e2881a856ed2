"""The command line's `explain`, called like a user calls it."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from proxy import __main__ as program

SCRIPT = """CREATE TABLE sales (country STRING, price INT);
CREATE MATERIALIZED VIEW by_country AS SELECT country, sum(price) AS total FROM sales GROUP BY country;
"""
QUERY = "SELECT sum(price) FROM sales"


@pytest.fixture
def script(tmp_path: Path) -> str:
    path = tmp_path / "shop.sql"
    path.write_text(SCRIPT)
    return str(path)


def test_a_hit(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["explain", "--schema", script, QUERY]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("answered from by_country\n\nSELECT ")
    assert "by_country chosen, by the rule roll_up" in printed


def test_a_miss_is_no_failure(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["explain", "--schema", script, "--json", "SELECT max(price) FROM sales"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["rewritten"] is False
    assert set(said) == {"rewritten", "sql", "views", "storage", "problem", "tried", "suggestion"}


def test_a_query_that_must_be_covered(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["explain", "--schema", script, "--require", QUERY]) == 0
    assert program.main(["explain", "--schema", script, "--require", "SELECT max(price) FROM sales"]) == 5
    assert "by_country missed, AGGREGATE_NOT_IN_VIEW" in capsys.readouterr().out


def test_a_column_that_no_table_has(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["explain", "--schema", script, "SELECT cty, sum(price) FROM sales GROUP BY cty"]) == 1
    said = "the query names cty, which is not a column of the query's tables: sales has country, price"
    assert capsys.readouterr().err == f"viewgate: {said}\n"


def test_a_query_from_standard_input(
    script: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(QUERY + ";\n"))
    assert program.main(["explain", "--schema", script, "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["views"] == ["by_country"]


def test_what_is_wrong_is_said_in_one_line(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["explain", "--schema", script, "SELECT 1 FROM nope"]) == 1
    assert capsys.readouterr().err.startswith("viewgate: the query reads nope, which the script does not create")
    Path(script).write_text("CREATE TABLE t (a MONEY)")
    assert program.main(["explain", "--schema", script, QUERY]) == 1
    assert capsys.readouterr().err.startswith(f"viewgate: the script {script} is not valid: line 1: the type")
    assert program.main(["explain", "--schema", f"{script}.gone", QUERY]) == 1
    assert capsys.readouterr().err == (
        f"viewgate: {script}.gone cannot be read: No such file or directory; give the path of the script with the "
        "CREATE statements\n"
    )


def test_spark_is_not_needed(script: str) -> None:
    forbid = "import sys; sys.modules['pyspark'] = None; from proxy.__main__ import main; sys.exit(main(sys.argv[1:]))"
    run = subprocess.run([sys.executable, "-c", forbid, "explain", "--schema", script, QUERY], capture_output=True)
    assert (run.returncode, run.stderr) == (0, b"")
