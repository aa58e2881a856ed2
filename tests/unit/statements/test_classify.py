"""How statements are classified."""

from __future__ import annotations

import pytest

from proxy.statements import classify


@pytest.mark.parametrize(
    ("sql", "only_reads"),
    [
        ("SELECT 1", True),
        ("WITH a AS (SELECT 1) SELECT * FROM a", True),
        ("SHOW TABLES", True),
        ("CREATE TEMP VIEW v AS SELECT 1", True),
        ("WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a", False),
        ("CREATE OR REPLACE VIEW v AS SELECT 1", False),
        ("ALTER TABLE t DROP COLUMN a", False),
        ("CALL lake.system.rewrite_data_files('t')", False),
        ("BEGIN SELECT 1; END", False),
        ("EXECUTE IMMEDIATE 'DROP TABLE t'", False),
    ],
)
def test_whether_tables_stay_as_they_are(sql: str, only_reads: bool) -> None:
    assert classify(sql).only_reads is only_reads


def test_what_holds_a_hint_of_viewgate_is_never_sent_as_it_is_for_being_constant() -> None:
    info = classify("SELECT /*+ VIEWGATE(max_staleness = '10 minutes') */ 1")
    assert not info.constant
    assert not info.brief


@pytest.mark.parametrize("sql", ["", "-- only", "/* a */", ";"])
def test_nothing_does_nothing(sql: str) -> None:
    info = classify(sql)
    assert info.only_reads
    assert info.effect.effect.name == "NONE"


def test_long_texts_are_read_like_short_ones() -> None:
    columns = ", ".join(f"column_{n}" for n in range(2000))
    assert classify(f"INSERT INTO d.t SELECT {columns} FROM s").writes == classify("INSERT INTO d.t SELECT 1").writes
