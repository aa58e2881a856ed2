"""The virtual schema `information_schema` of each catalog: its tables, columns and views, for JDBC and BI tools.

The rows are made from cached metadata: each metadata file is read only once. Storage tables are left out, as in SHOW
TABLES, because users should not query them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from proxy.answering.virtual_tables import Row, VirtualSchema
from proxy.catalog import Catalog, Catalogs, Kind, Listed
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


def schema(catalog: str | None = None) -> VirtualSchema:
    """Return the virtual schema with the name by which statements refer to it.

    This is the name with the catalog, such as `lake.information_schema`, or for None the name without a catalog.
    """
    return VirtualSchema([(NAMESPACE,) if catalog is None else (catalog.lower(), NAMESPACE)], TABLES, MOST)


async def rows(catalogs: Catalogs, of: Sequence[Catalog], table: str) -> Sequence[Row]:
    """Return the current rows of one table of information_schema, each as a mapping from column name to value.

    The rows describe the catalogs `of`, without those that are unavailable; raise Unavailable if all of them are.
    """
    if table == "schemata":
        found = await catalogs.from_each(of, lambda catalog: catalog.namespaces())
        return [
            {"catalog_name": catalog.name, "schema_name": ".".join(name)}
            for catalog, names in found.items()
            for name in sorted(names)
        ]
    own = {catalog.name for catalog in of}
    if table == "materialized_views":
        return [_of_materialized(view) for view in await catalogs.definitions() if view.name.catalog in own]
    if table == "views":
        await catalogs.definitions()
        return [_of_view(view) for view in catalogs.plain if view.name.catalog in own]
    shown = (one for one in await catalogs.inventory(lambda name: True, of) if one.kind in _TYPES)
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
