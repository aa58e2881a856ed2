"""Spark's errors about a text with inserted rows are reported for the statement that the user wrote."""

import pytest

from proxy.answering.positions import Changed
from proxy.hs2 import InvalidStatement, SqlError
from rewriter import Edit, splice

SQL = """SELECT nope,
  CAST(s.user AS INT) FROM viewgate.system.sessions s JOIN
  viewgate.system.views v ON 1 / 0 = v.rows"""
ROWS = '(SELECT `0` AS `worker` FROM (SELECT inline(from_json(\'[{"1":"Secret"}]\'))))'


def changed(sql: str = SQL) -> Changed:
    names = ("viewgate.system.sessions", "viewgate.system.views")
    edits = [Edit(sql.index(name), sql.index(name) + len(name), ROWS) for name in names]
    return Changed(sql, splice(sql, edits), edits)


def place(text: str, what: str) -> tuple[int, int]:
    """Return the line, from 1, and the column, from 0, of a part of a text."""
    at = text.index(what)
    return text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1)


@pytest.mark.parametrize("what", ["nope", "v.rows", "viewgate.system.views"])
def test_an_analysis_error_has_its_place_and_no_plan(what: str) -> None:
    made = changed()
    line, column = place(made.sent, ROWS + " v" if what.startswith("view") else what)
    told = (
        f"Error running query: [X] no {ROWS}. SQLSTATE: 42703; line {line} pos {column};\n'Project ['nope]\n+- {ROWS}\n"
    )
    error = made.reworded(SqlError(f"{told}\n\tat a.B.c(D.java:1)\nCaused by: x.E: {told}", "42703"))
    line, column = place(SQL, what)
    names = "viewgate.system.sessions"
    assert error.message == f"Error running query: [X] no {names}. SQLSTATE: 42703; line {line} pos {column}"
    assert isinstance(error, InvalidStatement)


def test_a_syntax_error_shows_the_users_text() -> None:
    made = changed()
    line, column = place(made.sent, "v.rows")
    lines = made.sent.split("\n")
    lines.insert(line, "-" * column + "^^^")
    shown = "\n".join(lines)
    error = made.reworded(SqlError(f"[X] (line {line}, pos {column})\n\n== SQL ==\n{shown}\n", "42601"))
    line, column = place(SQL, "v.rows")
    lines = SQL.split("\n")
    lines.insert(line, "-" * column + "^^^")
    assert error.message == f"[X] (line {line}, pos {column})\n\n== SQL ==\n" + "\n".join(lines)


def test_an_error_at_run_time_shows_the_users_expression() -> None:
    made = changed()
    line, column = place(made.sent, "1 / 0")
    near = made.sent.split("\n")[line - 1][column - 20 :]
    shown = f"...{near}\n{' ' * 23}{'^' * 5}\n"
    error = made.reworded(SqlError(f"[X] Division by zero.\n== SQL (line {line}, position {column + 1}) ==\n{shown}"))
    line, column = place(SQL, "1 / 0")
    shown = f"{SQL.split(chr(10))[line - 1]}\n{' ' * column}{'^' * 5}\n"
    assert error.message == f"[X] Division by zero.\n== SQL (line {line}, position {column + 1}) ==\n{shown}"


def test_an_expression_of_several_lines() -> None:
    made = changed("SELECT CAST(\n 'a'\n AS INT) FROM viewgate.system.sessions, viewgate.system.views")
    shown = "SELECT CAST(\n       ^^^^^\n 'a'\n^^^^\n AS INT) FROM (SELECT `0`\n^^^^^^^^\n"
    error = made.reworded(SqlError(f"[X] no\n== SQL of VIEW v (line 1, position 8) ==\n{shown}"))
    shown = shown.replace("(SELECT `0`", "viewgate.system.sessions, viewgate.system.views")
    assert error.message == f"[X] no\n== SQL of VIEW v (line 1, position 8) ==\n{shown}"
