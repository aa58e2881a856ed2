"""The virtual schema `information_schema`: the tables, columns and views of the Iceberg catalog, for JDBC and BI tools.

The rows are made from cached metadata: each metadata file is read only once. Storage tables are left out, as in SHOW
TABLES, because users should not query them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from proxy.answering.virtual_tables import Row, VirtualSchema
from proxy.catalog import Catalog, Kind, Listed
from rewriter.model import MaterializedView, PlainView, TableName

NAMESPACE = "information_schema"
MOST = 20_000_000  # characters of SQL: 100,000 columns take 11 million

_TABLE = dict.fromkeys(("table_catalog", "table_schema", "table_name"), "STRING")
TABLES: Mapping[str, Mapping[str, str]] = {
    "schemata": dict.fromkeys(("catalog_name", "schema_name", "schema_owner"), "STRING"),
    "tables": {**_TABLE, **dict.fromkeys(("table_type", "is_insertable_into", "comment"), "STRING")},
    "columns": {
        **_TABLE,
        "column_name": "STRING",
        "ordinal_position": "INT",
        **dict.fromkeys(("column_default", "is_nullable", "data_type", "comment"), "STRING"),
    },
    "views": {**_TABLE, **dict.fromkeys(("view_definition", "check_option", "is_updatable"), "STRING")},
    "materialized_views": {
        **_TABLE,
        **dict.fromkeys(("view_definition", "storage_table", "is_rewrite_enabled", "comment"), "STRING"),
    },
}
_TYPES = {Kind.TABLE: "BASE TABLE", Kind.VIEW: "VIEW", Kind.MATERIALIZED_VIEW: "MATERIALIZED VIEW"}
_VIEW_QUERY = "viewgate.query"  # the property with a view's query as its author wrote it


def schema(catalog: str, *, qualified: bool, alone: bool) -> VirtualSchema:
    """Return the virtual schema information_schema with the names by which statements may refer to the schema.

    The name with the catalog (`lake.information_schema`) is included if `qualified`, the plain name if `alone`.
    """
    names = [(catalog.lower(), NAMESPACE)] if qualified else []
    return VirtualSchema([*names, *([(NAMESPACE,)] if alone else [])], TABLES, MOST)


async def rows(catalog: Catalog, table: str) -> Sequence[Row]:
    """Return the current rows of one table of information_schema, each as a mapping from column name to value."""
    if table == "schemata":
        found = await catalog.namespaces()
        return [{"catalog_name": catalog.name, "schema_name": ".".join(name)} for name in sorted(found)]
    if table == "materialized_views":
        return [_of_materialized(view) for view in await catalog.definitions()]
    if table == "views":
        await catalog.definitions()
        return [_of_view(view) for view in catalog.plain]
    shown = (one for one in await catalog.inventory(lambda name: True) if one.kind in _TYPES)
    return [*(_of_columns(shown) if table == "columns" else map(_of_table, shown))]


def _named(name: TableName) -> dict[str, str]:
    return {"table_catalog": name.catalog, "table_schema": ".".join(name.namespace), "table_name": name.table}


def _of_table(one: Listed) -> Row:
    insertable = "YES" if one.kind is Kind.TABLE else "NO"
    return {
        **_named(one.name),
        "table_type": _TYPES[one.kind],
        "is_insertable_into": insertable,
        "comment": one.comment,
    }


def _of_columns(listed: Iterable[Listed]) -> Iterator[Row]:
    for one in listed:
        named = _named(one.name)
        for position, column in enumerate(one.columns, 1):
            yield {
                **named,
                "column_name": column.name,
                "ordinal_position": position,
                "is_nullable": "YES" if column.nullable else "NO",
                "data_type": column.type.name,
                "comment": column.comment or None,
            }


def _of_view(view: PlainView) -> Row:
    return {**_named(view.name), "view_definition": view.query, "check_option": "NONE", "is_updatable": "NO"}


def _of_materialized(view: MaterializedView) -> Row:
    return {
        **_named(view.name),
        "view_definition": view.properties.get(_VIEW_QUERY, view.query),
        "storage_table": str(view.storage),
        "is_rewrite_enabled": "YES" if view.rewrite else "NO",
        "comment": view.comment,
    }
