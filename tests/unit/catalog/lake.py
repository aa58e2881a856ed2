"""A small Iceberg catalog on SQLite with views as Spark writes them."""

from __future__ import annotations

import gzip
import json
import uuid
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy import text

from proxy.catalog import Catalog, Catalogs
from proxy.catalog.stores import SqlStore
from rewriter.model import TableName

SALES = TableName(("lake", "demo", "sales"))
STORAGE = TableName(("lake", "demo", "agg__storage"))
AGG = TableName(("lake", "demo", "agg"))
ROWS = pa.table({"region": ["eu", None], "amount": pa.array([10, 20], pa.int64())})


def view_document(version: int = 1, /, **properties: str) -> dict[str, Any]:
    """Return view metadata as Spark 4.1 with Iceberg 1.12 writes it."""
    fields = [
        {"id": 0, "name": "region", "required": False, "type": "string"},
        {"id": 1, "name": "sum(amount)", "required": False, "type": "long"},
    ]
    versions = [
        {
            "version-id": number,
            "timestamp-ms": 1795259247390,
            "schema-id": 0,
            "summary": {"engine-name": "spark"},
            "default-namespace": ["demo"],
            "representations": [
                {"type": "sql", "sql": "SELECT region, sum(amount) FROM sales GROUP BY region", "dialect": "spark"}
            ],
        }
        for number in range(1, version + 1)
    ]
    return {
        "view-uuid": str(uuid.uuid5(uuid.NAMESPACE_DNS, "agg")),
        "format-version": 1,
        "location": "/lake/demo/agg",
        "properties": {"spark.query-column-names": "region,sum(amount)", **properties},
        "schemas": [{"type": "struct", "schema-id": 0, "fields": fields}],
        "current-version-id": version,
        "versions": versions,
        "version-log": [{"timestamp-ms": 1795259247390, "version-id": 1}],
    }


MATERIALIZED = {
    "iceberg.materialized.view": "true",
    "iceberg.materialized.view.storage.table": "demo.agg__storage",
}


class Lake:
    """The catalog, which has this name in Spark, and its directory."""

    def __init__(self, directory: Path, name: str = "lake") -> None:
        self.directory = directory
        directory.mkdir(exist_ok=True)
        self.iceberg = SqlCatalog(
            name, uri=f"sqlite:///{directory}/catalog.db", warehouse=f"file://{directory}/warehouse"
        )
        self.iceberg.create_namespace("demo")

    def catalogs(self, poll_ms: int = 0) -> Catalogs:
        """Return the catalog, opened anew, as the only one of Viewgate's catalogs."""
        return Catalogs([self.catalog(poll_ms)])

    def catalog(self, poll_ms: int = 0) -> Catalog:
        return Catalog(SqlStore(self.iceberg), poll_ms=poll_ms)

    def close(self) -> None:
        self.iceberg.close()

    def put_view(self, name: TableName, document: dict[str, Any] | bytes) -> str:
        """Write a view's metadata, compressed as Spark does, and point the catalog to it."""
        location = self.directory / f"{uuid.uuid4()}.gz.metadata.json"
        content = document if isinstance(document, bytes) else gzip.compress(json.dumps(document).encode())
        location.write_bytes(content)
        row = {"of": self.iceberg.name, "namespace": ".".join(name.namespace), "name": name.table}
        with self.iceberg.engine.begin() as connection:
            connection.execute(text("DELETE FROM iceberg_tables WHERE table_name = :name"), row)
            connection.execute(
                text("INSERT INTO iceberg_tables VALUES (:of, :namespace, :name, :location, NULL, 'VIEW')"),
                {**row, "location": str(location)},
            )
        return str(location)

    def view_properties(self, name: TableName) -> dict[str, str]:
        """Return the current properties of a view."""
        properties: dict[str, str] = self.view_document(name)["properties"]
        return properties

    def view_document(self, name: TableName) -> dict[str, Any]:
        """Return the current metadata of a view."""
        query = text("SELECT metadata_location FROM iceberg_tables WHERE table_name = :name")
        with self.iceberg.engine.connect() as connection:
            location: str = connection.execute(query, {"name": name.table}).scalar_one()
        document: dict[str, Any] = json.loads(gzip.decompress(Path(location).read_bytes()))
        return document

    def drop_view(self, name: TableName) -> None:
        with self.iceberg.engine.begin() as connection:
            connection.execute(text("DELETE FROM iceberg_tables WHERE table_name = :name"), {"name": name.table})
