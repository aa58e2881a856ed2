from __future__ import annotations

import pytest

from proxy.commands.maintenance import maintenance
from rewriter.model import TableName

STORAGE = TableName(("lake", "demo", "it's__storage"))


@pytest.mark.parametrize(
    ("sql", "followed"),
    [
        (
            "CALL lake.system.rewrite_data_files(table => 'demo.t', strategy => 'sort', sort_order => 'a', "
            "options => map('rewrite-all', 'true'), where => 'a = 1');",
            "rewrite_data_files(table => '{}', options => map('rewrite-all', 'true'))",
        ),
        ("call `lake`.`system`.`rewrite_data_files`('demo.t')", "rewrite_data_files(table => '{}')"),
        (
            "CALL system.expire_snapshots('demo.t', TIMESTAMP '2024-01-01 00:00:00', 5)",
            "expire_snapshots(table => '{}', older_than => TIMESTAMP '2024-01-01 00:00:00', retain_last => 5)",
        ),
        (
            "CALL lake.system.expire_snapshots(snapshot_ids => array(1, 2), table=>'demo.t', retain_last=>1)",
            "expire_snapshots(table => '{}', retain_last => 1)",
        ),
        (
            "CALL lake.system.expire_snapshots('demo.t', TIMESTAMP '2024-01-01 00:00:00', 5, 4, true)",
            "expire_snapshots(table => '{}', older_than => TIMESTAMP '2024-01-01 00:00:00', retain_last => 5)",
        ),
        (
            "CALL lake.system.rewrite_data_files('t', 'sort', 'a', map(), 'a = 1', 'b', 1)",
            "rewrite_data_files(table => '{}', options => map())",
        ),
        ("CALL lake.system.expire_snapshots('demo.t')", "expire_snapshots(table => '{}')"),
    ],
)
def test_what_means_the_same_for_storage_is_followed(sql: str, followed: str) -> None:
    found = maintenance(sql)
    assert found is not None
    assert found.of(STORAGE) == "CALL lake.system." + followed.format("demo.`it\\'s__storage`")


@pytest.mark.parametrize(
    "sql",
    [
        "CALL lake.system.remove_orphan_files('a')",
        "CALL",
        "SELECT rewrite_data_files('a')",
        "CALL lake.system.expire_snapshots('demo.t', snapshot_ids => array(1, 2))",
        "CALL lake.system.expire_snapshots(table => 'demo.t', stream_results => true, snapshot_ids => array(1, 2))",
    ],
)
def test_nothing_else_is(sql: str) -> None:
    assert maintenance(sql) is None
