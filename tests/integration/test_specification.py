"""View metadata follows both specifications, according to a checker that knows nothing else.

The checker reads only metadata files, by Iceberg's view specification and by the properties of the materialized view
specification. A tool with the same knowledge creates views, rolls them back, and changes what must not change.
"""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import create_engine, text

from proxy.embedded import catalog_properties
from tests.integration import clients
from tests.integration.decided import chosen, reasons, rows_both_ways

Run = Callable[[str], list[tuple[Any, ...]]]
Document = dict[str, Any]
BASE, CHILD = "iceberg.base.snapshot.", "iceberg.child.view.version."
DEFINED = "SELECT\n    COUNT(1), CAST(event_ts AS DATE)\nFROM events\nGROUP BY 2"
ASKED = "SELECT CAST(event_ts AS DATE) AS d, count(*) AS c FROM events GROUP BY CAST(event_ts AS DATE)"


class Tool:
    """A tool of the specifications: it reads the metadata files of the catalog `lake`, and replaces those of views."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._engine = create_engine(catalog_properties(data)["uri"], connect_args={"timeout": 30})

    def location(self, name: str) -> str:
        """Return the current metadata location of a table or view of the namespace `spec`."""
        with self._engine.connect() as connection:
            query = "SELECT metadata_location FROM iceberg_tables WHERE table_namespace = 'spec' AND table_name = :name"
            return str(connection.execute(text(query), {"name": name}).scalar_one())

    def document(self, name: str) -> Document:
        content = Path(self.location(name).removeprefix("file:")).read_bytes()
        found: Document = json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)
        return found

    def swap(self, name: str, document: Document) -> None:
        """Make a document the metadata of a view, as a commit does."""
        file = Path(self.location(name).removeprefix("file:")).with_name(f"00009-{uuid4()}.metadata.json")
        file.write_text(json.dumps(document))
        with self._engine.begin() as connection:
            row = "table_namespace = 'spec' AND table_name = :name"
            swapped = text(f"UPDATE iceberg_tables SET metadata_location = :file WHERE {row}")
            connection.execute(swapped, {"file": str(file), "name": name})

    def storage(self, view: str) -> str:
        """Return the storage table of a materialized view, by the specification's properties."""
        properties = self.document(view)["properties"]
        assert properties["iceberg.materialized.view"] == "true"
        return str(properties["iceberg.materialized.view.storage.table"]).split(".")[-1]

    def fresh(self, view: str, *sources: str) -> bool:
        """Return whether the three freshness conditions of the specification hold for a view over these tables."""
        stated: Mapping[str, str] = self.document(self.storage(view))["properties"]
        tables = {each["table-uuid"]: each["current-snapshot-id"] for each in map(self.document, sources)}
        bases = {key.removeprefix(BASE): int(value) for key, value in stated.items() if key.startswith(BASE)}
        version = self.document(view)["current-version-id"]
        assert not any(key.startswith(CHILD) for key in stated)
        return bases == tables and int(stated["iceberg.view.version"]) == version

    def close(self) -> None:
        self._engine.dispose()


def check_view(document: Document) -> None:
    """Raise for metadata that the view specification does not allow."""
    assert UUID(document["view-uuid"])
    assert document["format-version"] == 1
    assert document["location"]
    schemas = {schema["schema-id"]: schema for schema in document["schemas"]}
    versions = {version["version-id"]: version for version in document["versions"]}
    assert document["current-version-id"] in versions
    for version in versions.values():
        assert version["schema-id"] in schemas
        assert version["timestamp-ms"] > 0
        assert all(isinstance(value, str) for pair in version["summary"].items() for value in pair)
        assert version["default-namespace"] == ["spec"]
        assert version.get("default-catalog", "lake") == "lake"
        dialects = [one["dialect"] for one in version["representations"] if one["type"] == "sql" and one["sql"]]
        assert len(set(dialects)) == len(dialects) == len(version["representations"]) > 0
    log = document["version-log"]
    assert {entry["version-id"] for entry in log} <= versions.keys()
    assert log[-1]["version-id"] == document["current-version-id"]
    assert all(isinstance(value, str) for pair in document.get("properties", {}).items() for value in pair)


@pytest.fixture
def tool(data: Path, run: Run) -> Iterator[Tool]:
    made = Tool(data)
    yield made
    made.close()


@pytest.fixture
def run(pyhive: Any) -> Run:
    """Run a statement through the proxy, in the namespace spec with a new table `events`."""
    for sql in (
        "CREATE NAMESPACE IF NOT EXISTS lake.spec",
        "USE lake.spec",
        "DROP MATERIALIZED VIEW IF EXISTS event_agg",
        "CREATE OR REPLACE TABLE events AS SELECT id AS event_id, "
        "timestamp_seconds(1704067200 + id * 600) AS event_ts FROM range(50000)",
    ):
        clients.rows(pyhive, sql)
    return lambda sql: clients.rows(pyhive, sql)


def make(run: Run) -> None:
    """Create the specification's own example as a materialized view that only REFRESH refreshes."""
    run(
        "CREATE MATERIALIZED VIEW event_agg (event_count COMMENT 'Count of events', event_date) "
        f"COMMENT 'Daily event counts' WITH DEFERRED REFRESH AS\n{DEFINED}"
    )
    run("REFRESH MATERIALIZED VIEW event_agg")


def right(connection: Any, query: str = ASKED) -> None:
    given, plain = rows_both_ways(connection, query)
    assert given == plain


def test_the_example_of_the_specification(run: Run, tool: Tool, pyhive: Any, direct: Any) -> None:
    make(run)
    document = tool.document("event_agg")
    check_view(document)
    assert document["properties"]["comment"] == "Daily event counts"
    (version,) = document["versions"]
    assert version["representations"] == [{"type": "sql", "sql": DEFINED, "dialect": "spark"}]
    (schema,) = document["schemas"]
    fields = [(field["name"], field["type"], field.get("doc")) for field in schema["fields"]]
    assert fields == [("event_count", "long", "Count of events"), ("event_date", "date", None)]
    assert tool.fresh("event_agg", "events")
    assert chosen(pyhive, ASKED) == ["lake.spec.event_agg"]
    right(pyhive)
    clients.rows(direct, "INSERT INTO lake.spec.events VALUES (-1, TIMESTAMP '2024-01-01 00:00:00')")
    assert not tool.fresh("event_agg", "events")
    right(pyhive)
    run("REFRESH MATERIALIZED VIEW event_agg")
    assert tool.fresh("event_agg", "events")
    assert clients.rows(direct, "SELECT sum(event_count) FROM lake.spec.event_agg") == [(50_001,)]


def test_metadata_is_read_plain_and_gzipped(run: Run, tool: Tool, pyhive: Any, direct: Any) -> None:
    make(run)
    suffixes = set()
    for codec in ("gzip", "none"):
        change = f"ALTER VIEW lake.spec.event_agg SET TBLPROPERTIES ('write.metadata.compression-codec' = '{codec}')"
        clients.rows(direct, change)
        suffixes.add(tool.location("event_agg").endswith(".gz.metadata.json"))
        check_view(tool.document("event_agg"))
        assert chosen(pyhive, ASKED) == ["lake.spec.event_agg"]
    assert suffixes == {True, False}


def test_a_version_that_is_rolled_back_is_not_answered_with_rows_of_the_other(
    run: Run, tool: Tool, pyhive: Any
) -> None:
    make(run)
    first = tool.document("event_agg")
    run(
        "CREATE OR REPLACE MATERIALIZED VIEW event_agg AS "
        "SELECT event_id % 10 AS digit, count(*) AS n FROM events GROUP BY 1"
    )
    second = tool.document("event_agg")
    check_view(second)
    assert (second["view-uuid"], second["current-version-id"]) == (first["view-uuid"], 2)
    query = "SELECT event_id % 10 AS digit, count(*) AS n FROM events GROUP BY event_id % 10"
    assert chosen(pyhive, query) == ["lake.spec.event_agg"]
    entry = {"version-id": 1, "timestamp-ms": int(time.time() * 1000)}
    rolled_back = {**second, "current-version-id": 1, "version-log": [*second["version-log"], entry]}
    check_view(rolled_back)
    tool.swap("event_agg", rolled_back)
    run("SHOW MATERIALIZED VIEWS IN spec")  # looks at the views again
    assert not tool.fresh("event_agg", "events")
    for asked in (query, ASKED):
        assert chosen(pyhive, asked) == []
        right(pyhive, asked)
    tool.swap("event_agg", second)
    run("SHOW MATERIALIZED VIEWS IN spec")
    assert chosen(pyhive, query) == ["lake.spec.event_agg"]
    right(pyhive, query)


def test_a_view_of_another_uuid_is_another_view(run: Run, tool: Tool, pyhive: Any) -> None:
    make(run)
    document = tool.document("event_agg")
    tool.swap("event_agg", {**document, "view-uuid": str(uuid4())})
    run("SHOW MATERIALIZED VIEWS IN spec")
    assert chosen(pyhive, ASKED) == []
    assert "STALE the definition of lake.spec.event_agg has changed since the last refresh" in reasons(pyhive, ASKED)
    right(pyhive)
    tool.swap("event_agg", document)
    run("SHOW MATERIALIZED VIEWS IN spec")
    assert chosen(pyhive, ASKED) == ["lake.spec.event_agg"]


def test_a_view_of_such_a_tool_is_used(run: Run, tool: Tool, pyhive: Any, direct: Any) -> None:
    """Its query computes nothing and has no times, because the tool records no settings for that."""
    clients.rows(direct, "USE lake.spec")
    clients.rows(direct, "DROP VIEW IF EXISTS late")
    clients.rows(direct, "CREATE OR REPLACE TABLE late_rows AS SELECT event_id FROM events WHERE event_id > 45000")
    clients.rows(
        direct,
        "CREATE VIEW late TBLPROPERTIES ('iceberg.materialized.view' = 'true', "
        "'iceberg.materialized.view.storage.table' = 'spec.late_rows') AS "
        "SELECT event_id FROM events WHERE event_id > 45000",
    )
    check_view(tool.document("late"))
    events = tool.document("events")
    clients.rows(
        direct,
        f"ALTER TABLE late_rows SET TBLPROPERTIES ('iceberg.view.version' = '1', "
        f"'{BASE}{events['table-uuid']}' = '{events['current-snapshot-id']}')",
    )
    assert tool.fresh("late", "events")
    query = "SELECT event_id FROM events WHERE event_id > 49000"
    run("SHOW MATERIALIZED VIEWS IN spec")
    assert chosen(pyhive, query) == ["lake.spec.late"]
    right(pyhive, query)
    clients.rows(direct, "DELETE FROM events WHERE event_id = 49500")
    assert not tool.fresh("late", "events")
    assert chosen(pyhive, query) == []
    right(pyhive, query)
    clients.rows(direct, "DROP VIEW late")
    clients.rows(direct, "DROP TABLE late_rows PURGE")
