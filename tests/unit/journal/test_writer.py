"""The journal's file: its contents, and that statements go on whatever happens to it."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from proxy.hs2 import SqlError
from proxy.journal import Cause, Journal, JsonLines
from proxy.journal.json_log import JsonLog
from proxy.journal.texts import kept, without_credentials
from proxy.journal.writer import line
from proxy.session import Choice, Forward, OperationState
from rewriter.model import TableName
from tests.unit.journal.stubs import answered, begun, refused, session
from tests.unit.support.operations import Stub

VIEW = TableName(("lake", "demo", "agg"))


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines() if line]


def test_a_line_for_each_statement_and_refresh(tmp_path: Path) -> None:
    file = JsonLines(tmp_path / "journal.jsonl")
    journal = Journal(writers=[file])
    answered(journal, "SELECT 'é'", VIEW)
    refused(journal, "SELEC", SqlError("syntax", "42601"))
    with journal.refreshing(VIEW, Cause.COMMIT) as refresh:
        refresh.ways.append("append")
    file.close()
    statement, wrong, refreshed = lines(file.path)
    told: dict[str, Any] = {"event": "statement", "user": "ann", "statement": "SELECT 'é'", "rewritten": "SELECT 2"}
    told |= {"outcome": "view", "chosen": ["lake.demo.agg"], "planned_ms": 250.0, "rows": 0, "state": "FINISHED"}
    assert told.items() <= statement.items()
    assert statement["started"].endswith("+00:00")
    assert "error" not in statement
    assert (wrong["outcome"], wrong["sqlstate"], wrong["error"]) == ("refused", "42601", "syntax")
    assert {
        "event": "refresh",
        "view": "lake.demo.agg",
        "way": "append",
        "cause": "commit",
    }.items() <= refreshed.items()
    assert file.path.stat().st_mode & 0o077 == 0


def test_a_full_disk_is_said_once_and_keeps_no_statement(caplog: pytest.LogCaptureFixture) -> None:
    file = JsonLines(Path("/dev/full"))
    journal = Journal(writers=[file])
    for _ in range(200):
        refused(journal, "SELECT 1")
    file.close()
    assert len(list(journal)) == 200
    assert file.lost == 200
    (said,) = (r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR)
    assert said == (
        "journal cannot be written file=/dev/full error=No space left on device: statements are not affected, but "
        "records are lost until writing works again"
    )


def test_a_surrogate_in_a_name_is_an_escape_in_the_file(tmp_path: Path) -> None:
    file = JsonLines(tmp_path / "journal.jsonl")
    answered(Journal(writers=[file]), "SELECT 1", TableName(("lake", "demo", "\ud800")))
    file.close()
    assert lines(file.path)[0]["chosen"] == ["lake.demo.\ud800"]
    assert file.lost == 0


def test_the_log_does_not_quote_records_that_cannot_be_encoded(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def store(_: JsonLines, __: object) -> None:
        "SELECT 'Ann' \ud800".encode()

    caplog.set_level(logging.ERROR)  # an earlier test may have set up the program's own logging
    monkeypatch.setattr(JsonLines, "store", store)
    file = JsonLines(Path("/dev/null"))
    file._write([refused(Journal(), "SELECT 'Ann'")])
    file.close()
    assert caplog.messages == [
        "journal cannot be written file=/dev/null error=UnicodeEncodeError: statements are not affected, but records "
        "are lost until writing works again"
    ]


def test_a_file_that_can_be_written_again_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    now = 0.0
    file = JsonLines(tmp_path / "later" / "journal.jsonl", clock=lambda: now)
    file._write([refused(Journal(), "SELECT 1")])
    (tmp_path / "later").mkdir()
    file._write([refused(Journal(), "SELECT 2")])  # it rests
    now = 6.0
    file._write([refused(Journal(), "SELECT 3")])
    file.close()
    assert [line["statement"] for line in lines(file.path)] == ["SELECT 3"]
    assert "journal writing resumed" in caplog.text
    assert file.lost == 2


def test_a_file_that_was_moved_away_is_made_anew(tmp_path: Path) -> None:
    file = JsonLines(tmp_path / "journal.jsonl")
    file._write([refused(Journal(), "SELECT 1")])
    os.rename(file.path, tmp_path / "journal.1")
    file._write([refused(Journal(), "SELECT 2")])
    file.close()
    assert [line["statement"] for line in lines(tmp_path / "journal.1")] == ["SELECT 1"]
    assert [line["statement"] for line in lines(file.path)] == ["SELECT 2"]


def test_what_the_file_cannot_take_in_time_is_lost_and_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow, taken = threading.Event(), threading.Event()

    def append(_: JsonLines, __: bytes) -> None:
        taken.set()
        slow.wait()

    monkeypatch.setattr(JsonLines, "_append", append)
    file = JsonLines(tmp_path / "journal.jsonl", waiting=3)
    journal = Journal(writers=[file])
    refused(journal, "SELECT 0")
    taken.wait()
    for number in range(5):
        refused(journal, f"SELECT {number}")
    assert file.lost == 2
    slow.set()
    file.close()


def test_without_literals_nothing_keeps_one(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="proxy")
    file = JsonLines(tmp_path / "journal.jsonl")
    journal, operation = Journal(writers=[file], literals=False), Stub(session(), 0)
    record = journal.receive(operation.session, "SELECT * FROM t /* Ann */ WHERE name = 'Ann' AND k = 12345678901")
    record.planned(Forward("SELECT * FROM mv WHERE name = 'Ann' AND k = 12345678901", fallback=True), 0.0)
    journal.begin(operation, record)
    operation.advance(OperationState.ERROR, SqlError("'Ann' is not 12345678901 of `k`\n== SQL ==\n'Ann'", "22018"))
    journal.end(operation)
    file.close()
    kept = [file.path.read_text(), caplog.text, str(list(journal))]
    assert not any("Ann" in text or "12345678901" in text for text in kept)
    assert (record.sql, record.error and record.error.message) == (
        "SELECT * FROM t WHERE name = ? AND k = ?",
        "? is not ? of `k`",
    )


QUOTED = """SELECT "x" FROM t WHERE name = 'Ann' AND """


@pytest.mark.parametrize(
    ("problem", "told"),
    [
        (
            f"{'EXECUTE IMMEDIATE ' + repr(QUOTED)!r} may have changed what names mean",
            "no view used: ? may have changed what names mean",
        ),
        ("the view's filter is region RLIKE 'Ann' (4111)", "no view used: the view's filter is region RLIKE ? (?)"),
        ("the views' tables do not hold 'Ann'", "no view used: the views' tables do not hold ?"),
    ],
)
def test_without_literals_the_answer_has_none(problem: str, told: str) -> None:
    journal, operation = Journal(literals=False), Stub(session(), 0)
    operation.log.add(f"Viewgate: no view used: {problem}")
    record = begun(journal, operation, "SELECT 1")
    operation.advance(OperationState.FINISHED)
    journal.end(operation)
    assert record.answer == told


def test_without_literals_the_views_that_answer_are_told() -> None:
    journal, operation = Journal(literals=False), Stub(session(), 0)
    operation.log.add("Viewgate: answered from lake.demo.agg (roll_up), data as of 2023-11-14 22:13:20.042 UTC")
    record = journal.receive(operation.session, "SELECT 1")
    record.planned(Forward("SELECT 2", fallback=True, choice=Choice((VIEW,), (VIEW,), (VIEW,))), 0.0)
    journal.begin(operation, record)
    operation.advance(OperationState.FINISHED)
    journal.end(operation)
    assert record.answer == "answered from lake.demo.agg (roll_up), data as of 2023-11-14 22:13:20.042 UTC"


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SET fs.s3a.secret.key=opensesame", "SET fs.s3a.secret.key=***"),
        (
            "SET fs.azure.sas.fixed.token.x.dfs.core.windows.net=sv=2022-11-02&sp=rl&sig=opensesame",
            "SET fs.azure.sas.fixed.token.x.dfs.core.windows.net=***",
        ),
        ("SET a.secret.key=open&sesame x,y", "SET a.secret.key=***"),
        ("/* x */ set a.token = Bearer open'sesame", "/* x */ set a.token = ***"),
        ("SET x.header.Authorization=Bearer opensesame", "SET x.header.Authorization=***"),
        ("SET VAR tokens = (SELECT count(*) FROM t)", "SET VAR tokens = *** count(*) FROM t)"),
        ("SET a.url=jdbc:x://ann:open/sesame@db/x", "SET a.url=jdbc:x://ann:***@db/x"),
        ("SELECT 'http://b:80', 'a@b'", "SELECT 'http://b:80', 'a@b'"),
        ("SELECT/*a://b:*/c/*@*/", "SELECT/*a://b:*/c/*@*/"),
        ("SELECT 'https://b/x?X-Amz-Signature=opensesame&y=1'", "SELECT 'https://b/x?X-Amz-Signature=***&y=1'"),
        ("SELECT map('password', 'opensesame', 'user', 'ann')", "SELECT map('password', ***, 'user', 'ann')"),
        ("OPTIONS ('password' /* x */ 'opensesame')", "OPTIONS ('password' /* x */ ***)"),
        ("OPTIONS (password -- x\n 'opensesame')", "OPTIONS (password -- x\n ***)"),
        ("OPTIONS (apikey='opensesame', api_key 'opensesame')", "OPTIONS (apikey=***, api_key ***)"),
        ("OPTIONS ('ssl.passphrase'='opensesame')", "OPTIONS ('ssl.passphrase'=***)"),
        ("OPTIONS (pwd 'opensesame', es.net.http.auth.pass 'x')", "OPTIONS (pwd ***, es.net.http.auth.pass ***)"),
        ("OPTIONS ('password' = r'open\\', user 'ann')", "OPTIONS ('password' = ***, user 'ann')"),
        ("OPTIONS (password 'open' -- x\n \"sesame\", user 'ann')", "OPTIONS (password ***, user 'ann')"),
        ("OPTIONS (password='open' || 'sesame')", "OPTIONS (password=***)"),
        ("OPTIONS (password='open\\\nsesame')", "OPTIONS (password=***)"),
        ("OPTIONS (password=`open sesame`)", "OPTIONS (password=***)"),
        ("OPTIONS (password=/* ** */ 'opensesame')", "OPTIONS (password=/* ** */ ***)"),
        ("OPTIONS ('header.Authorization' = 'Bearer opensesame')", "OPTIONS ('header.Authorization' = ***)"),
        ("SELECT 'Authorization: Bearer opensesame'", "SELECT 'Authorization: ***'"),
        ("url 'jdbc:x://h/d?password=open,ses)ame&y=1'", "url 'jdbc:x://h/d?password=***&y=1'"),
        ("url 'jdbc:sqlserver://h;password={open;sesame};x=1'", "url 'jdbc:sqlserver://h;password=***;x=1'"),
        ("url 'jdbc:oracle:thin:ann/opensesame@//h:1521/x'", "url 'jdbc:oracle:thin:ann/***@//h:1521/x'"),
        ("jaas 'X username=\\'ann\\' password=\\'open sesame\\';'", "jaas 'X username=\\'ann\\' password=***;'"),
        ("jaas 'X username=''ann'' password=''open sesame'';'", "jaas 'X username=''ann'' password=***;'"),
        (r'''SELECT "{\"password\": \"open sesame\", \"x\": 1}"''', r'''SELECT "{\"password\": ***, \"x\": 1}"'''),
        ("DECLARE token STRING DEFAULT 'opensesame'", "DECLARE token STRING DEFAULT ***"),
        ("/* * */ SET a.token=open sesame", "/* * */ SET a.token=***"),
        (f"/*{'x' * 300}*/ SET a.token=open sesame", f"/*{'x' * 300}*/ SET a.token=***"),
        ("BEGIN SET a.token=open 'ses;ame'; SET b=c; END", "BEGIN SET a.token=***; SET b=c; END"),
        ("EXECUTE IMMEDIATE 'SET a.token=open sesame'", "EXECUTE IMMEDIATE 'SET a.token=***'"),
        ("UPDATE t SET token=x,n=2 WHERE pass(a), b", "UPDATE t SET token=***,n=2 WHERE pass(a), b"),
        (
            "SELECT design = 1, signal = 2, token, x FROM passengers",
            "SELECT design = 1, signal = 2, token, x FROM passengers",
        ),
    ],
)
def test_credentials_are_never_kept(sql: str, told: str) -> None:
    assert begun(Journal(), Stub(session(), 0), sql).sql == told


@pytest.mark.parametrize("password", ["pa/ss", "pa ss", "p:a", "p'a", ""])
def test_the_password_of_a_database_is_hidden(password: str) -> None:
    assert without_credentials(f"postgresql://ann:{password}@db/x") == "postgresql://ann:***@db/x"


@pytest.mark.parametrize(
    "text",
    [
        "://a:",
        "SET ",
        "'password' /* ",
        "'password' /*",
        "'password'" + " " * 50,
        "token /* */",
        "sig",
        "'token' -- ",
        "token=''",
        "token='x' ",
        "token=a,",
        "token=\\'",
        "; SET ",
        "BEGIN SET a",
        "jdbc:oracle:x:a/",
    ],
)
def test_credentials_are_found_in_linear_time(text: str) -> None:
    def seconds(times: int) -> float:
        sql = text * times
        began = time.process_time()
        without_credentials(sql)
        return time.process_time() - began

    assert min(seconds(4000) for _ in range(3)) < 20 * max(min(seconds(1000) for _ in range(3)), 0.002)


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SET hivevar:name = Ann Smith; x", "SET hivevar:name = ?"),
        ("BEGIN SET a=Ann Smith; SELECT b; END", "BEGIN SET a=?; SELECT b; END"),
        ("SET VAR name = 'Ann'", "SET VAR name = ?"),
        ("SET (a, b) = (SELECT c, 'Ann')", "SET (a, b) = (SELECT c, ?)"),
    ],
)
def test_without_literals_the_value_of_a_setting_is_not_kept(sql: str, told: str) -> None:
    assert kept(sql, literals=False) == told


SQL = "CREATE TABLE t USING jdbc TBLPROPERTIES ('my.password'='hunter2', user 'ann'"


@pytest.mark.parametrize("begins", [True, False])
def test_an_error_that_quotes_its_statement_has_no_credentials(begins: bool) -> None:
    journal = Journal()
    error = SqlError(f"[PARSE_SYNTAX_ERROR] Syntax error.\n\n== SQL ==\n{SQL}\n---^^^\n", "42601")
    if begins:
        operation = Stub(session(), 0)
        record = begun(journal, operation, SQL)
        operation.advance(OperationState.ERROR, error)
        journal.end(operation)
    else:
        record = refused(journal, SQL, error)
    assert "'my.password'=***, user 'ann'" in json.loads(line(record))["error"]
    assert "hunter2" not in line(record)


def test_an_error_of_a_refresh_has_no_credentials() -> None:
    journal = Journal()
    with pytest.raises(SqlError), journal.refreshing(VIEW, Cause.COMMIT):
        raise SqlError("no login at jdbc:postgresql://ann:hunter2@db/x", "28000")
    assert [refresh.error for refresh in journal.refreshes] == ["no login at jdbc:postgresql://ann:***@db/x"]


def test_the_log_as_json(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="proxy")
    journal = Journal()
    refused(journal, "SELEC 1", SqlError("syntax", "42601"))
    with journal.refreshing(VIEW, Cause.COMMIT) as refresh:
        refresh.rows = 7
    logging.getLogger("proxy").error("no %s", "luck", exc_info=ValueError("lost"))
    statement, refreshed, failed = (json.loads(JsonLog().format(record)) for record in caplog.records)
    assert (statement["event"], statement["statement"], statement["sqlstate"]) == ("statement", "SELEC 1", "42601")
    assert (refreshed["event"], refreshed["view"], refreshed["rows"]) == ("refresh", str(VIEW), 7)
    assert (failed["event"], failed["level"], failed["message"]) == ("log", "ERROR", "no luck")
    assert "ValueError: lost" in failed["exception"]
