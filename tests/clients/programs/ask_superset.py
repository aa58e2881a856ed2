"""Lets Superset browse databases with its engine spec for Hive, and run statements like SQL Lab: FILE PORT PORT."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

STATEMENTS = (
    "SELECT 1 AS a, DATE '2024-02-29' AS d, TIMESTAMP '2024-02-29 12:30:00.5' AS t, 1.5 AS e, array(1) AS f, '' AS g",
    "SELECT country, sum(quantity) FROM demo.sales GROUP BY country ORDER BY country",
    "SELECT year(order_time) AS y, avg(price) FROM sales GROUP BY 1 ORDER BY 1",
    "SHOW TABLES IN demo LIKE 'sales'",
    "SELEKT 1",
    "SELECT nope FROM demo.sales",
    "SELECT assert_true(id < 5) FROM range(10)",
)


def browsing(database: Any, sales: Any, parted: Any) -> dict[str, Callable[[], Any]]:
    """Return what Superset asks to show a tree of tables and one table, and to draw a chart."""
    spec = database.db_engine_spec
    return {
        "get_all_schema_names": lambda: sorted(database.get_all_schema_names(catalog=None)),
        "get_all_table_names_in_schema": lambda: sorted(map(str, database.get_all_table_names_in_schema(None, "demo"))),
        "get_all_view_names_in_schema": lambda: sorted(map(str, database.get_all_view_names_in_schema(None, "demo"))),
        "get_columns": lambda: [(one["column_name"], str(one["type"])) for one in database.get_columns(sales)],
        "get_indexes": lambda: database.get_indexes(sales),
        "get_pk_constraint": lambda: database.get_pk_constraint(sales),
        "get_foreign_keys": lambda: database.get_foreign_keys(sales),
        "get_columns of partitions": lambda: [one["column_name"] for one in database.get_columns(parted)],
        "get_extra_table_metadata": lambda: spec.get_extra_table_metadata(database, parted),
        "latest_partition": lambda: str(spec.latest_partition(database, parted)),
        "select_star": lambda: database.select_star(sales, show_cols=True),
        "function_names": lambda: sorted(database.function_names),
        "get_df": lambda: database.get_df(STATEMENTS[1]).to_csv(),
    }


def answers(database: Any) -> dict[str, Any]:
    """Return the answers of a database to all of this."""
    from superset.sql.parse import Table

    asked = browsing(database, Table("sales", "demo"), Table("parted", "demo")) | {
        sql: partial(run, database, sql) for sql in STATEMENTS
    }
    return {name: said(database.db_engine_spec, ask) for name, ask in asked.items()}


def run(database: Any, sql: str) -> Any:
    """Return the columns and the first rows of a statement."""
    from superset import db
    from superset.models.sql_lab import Query
    from superset.result_set import SupersetResultSet

    query = Query(client_id=f"{database.id}-{STATEMENTS.index(sql)}", database_id=database.id, sql=sql)
    db.session.add(query)
    db.session.commit()
    with database.get_raw_connection(schema="demo") as connection:
        cursor = connection.cursor()
        database.db_engine_spec.execute_with_cursor(cursor, sql, query)
        rows = database.db_engine_spec.fetch_data(cursor, 100)
        found = SupersetResultSet(rows, cursor.description, database.db_engine_spec)
        return [(one["column_name"], one["type"]) for one in found.columns], found.to_pandas_df().to_csv()


def said(spec: Any, ask: Callable[[], Any]) -> Any:
    """Return the answer, or the error as Superset shows it, without Spark's counters."""
    try:
        return ask()
    except Exception as error:
        return type(error).__name__, re.sub(r"#\d+L?", "#", spec.extract_error_message(error).split("\n")[0])


def main(file: str, *ports: str) -> None:
    """Ask each database the same."""
    from flask_appbuilder import Model
    from superset.app import create_app

    with create_app().app_context():
        from superset import db
        from superset.models.core import Database

        Model.metadata.create_all(db.engine)
        databases = [Database(database_name=port, sqlalchemy_uri=f"hive://ann@127.0.0.1:{port}/demo") for port in ports]
        listings = {"connect_args": {"configuration": {"viewgate.listings": "hive"}}}
        extra = json.dumps({"engine_params": listings})
        uri = f"hive://ann@127.0.0.1:{ports[-1]}/demo"
        databases.append(Database(database_name="as Hive", sqlalchemy_uri=uri, extra=extra))
        db.session.add_all(databases)
        db.session.commit()
        Path(file).write_text(json.dumps([answers(database) for database in databases]))


if __name__ == "__main__":
    main(*sys.argv[1:])
