"""A view's rows computed from another view's storage: as a whole, at snapshots, and only if nothing
else must be read.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from rewriter import Shared, shared, storage_question
from rewriter.model import Relation, Table, TableName
from rewriter.script import Workspace, read_script

TABLES = """
CREATE TABLE sales (day DATE, shop INT, price DECIMAL(10,2), f DOUBLE, at TIMESTAMP, local TIMESTAMP_NTZ);
CREATE MATERIALIZED VIEW by_day AS SELECT day, shop, sum(price) AS s FROM sales GROUP BY day, shop;
CREATE MATERIALIZED VIEW by_minute AS SELECT timeseries(at, 'minute') AS t, max(price) AS m FROM sales GROUP BY 1;
CREATE MATERIALIZED VIEW by_local_minute AS
SELECT timeseries(local, 'minute') AS t, max(price) AS m FROM sales GROUP BY 1;
CREATE MATERIALIZED VIEW dearest AS SELECT day, shop, max(price) AS m FROM sales GROUP BY day, shop;
"""


def from_another(view: str, without: str = "") -> Shared | None:
    """Return how the last view of a script would be computed, with the storage of some other views missing."""
    return from_world(read_script(f"{TABLES}CREATE MATERIALIZED VIEW v AS {view}"), without)


def from_world(world: Workspace, without: str = "") -> Shared | None:
    (own,) = (each for each in world.definitions.views if each.name.table == "v")
    asked, storage = storage_question(own), world.relations[own.storage]
    assert asked is not None
    assert isinstance(storage, Table)
    gone: dict[TableName, Relation | None] = {n: None for n in world.relations if n.table == without}
    return shared(own, storage, asked, world.definitions, {**world.relations, **gone})


def test_coarser_groups_follow_from_finer_ones_at_the_snapshot_of_those() -> None:
    found = from_another("SELECT shop, sum(price) AS s FROM sales GROUP BY shop")
    assert found is not None
    assert found.view.name.table == "by_day"
    assert "by_day__storage VERSION AS OF 1" in found.sql
    assert "FROM sales" not in found.sql


def test_the_columns_have_the_types_of_the_storage() -> None:
    found = from_another("SELECT shop, sum(price) AS s FROM sales GROUP BY shop")
    assert found is not None
    assert "AS decimal(20,2)) AS s" in found.sql


def test_declared_keys_are_not_relied_on_even_if_trusted() -> None:
    world = read_script("""
        CREATE TABLE shops (id INT NOT NULL PRIMARY KEY, town STRING);
        CREATE TABLE visits (shop INT NOT NULL REFERENCES shops (id), day DATE, n INT);
        CREATE MATERIALIZED VIEW in_towns AS
        SELECT town, shop, day, max(n) AS m FROM visits JOIN shops ON shop = id GROUP BY town, shop, day;
        CREATE MATERIALIZED VIEW v AS SELECT shop, max(n) AS m FROM visits GROUP BY shop;
    """)
    assert world.explain("SELECT day, max(n) FROM visits GROUP BY day").rewritten, "users trust them"
    assert from_world(world) is None


@pytest.mark.parametrize(
    ("column", "grain", "holder"),
    [
        ("day", "month", "by_day"),
        ("at", "ten_minute", "by_minute"),
        ("at", "day", "by_minute"),
        ("local", "ten_minute", "by_local_minute"),
    ],
)
def test_coarser_buckets_follow_from_finer_ones(column: str, grain: str, holder: str) -> None:
    measure = "sum(price)" if column == "day" else "max(price)"
    found = from_another(f"SELECT timeseries({column}, '{grain}') AS t, {measure} AS m FROM sales GROUP BY 1")
    assert found is not None
    assert found.view.name.table == holder
    assert "timeseries" not in found.sql


@pytest.mark.parametrize(
    "view",
    [
        "SELECT shop, sum(f) AS s FROM sales GROUP BY shop",
        "SELECT shop, min(price) AS s FROM sales GROUP BY shop",
        "SELECT shop, max(price) AS m FROM sales GROUP BY shop UNION ALL SELECT shop, price FROM sales",
    ],
)
def test_what_no_other_view_answers_as_a_whole_is_read_from_the_tables(view: str) -> None:
    assert from_another(view) is None


def test_its_own_storage_is_what_is_to_be_computed() -> None:
    query = "SELECT shop, max(price) AS m FROM sales GROUP BY shop"
    assert from_another(query) is not None
    assert from_another(query, without="dearest__storage") is None


def test_of_a_view_by_another_tool_nobody_knows_the_settings() -> None:
    world = read_script(TABLES)
    view = world.definitions.views[0]
    assert storage_question(replace(view, settings=None)) is None
