"""CHECK CONSTRAINTS ON TABLE t: counts the rows that violate the keys declared in the table's properties.

Neither Iceberg nor Spark enforces these keys. With `viewgate.trust-constraints`, the rewriter relies on the declared
keys, and answers from views are right only if the rows satisfy the keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from proxy.commands.context import Context
from proxy.commands.parser import Parser
from proxy.hs2 import ResultSet, SqlError
from proxy.session import ClientSession, Log
from rewriter.model import ConstraintError, ForeignKey, TableName, quoted
from rewriter.model.constraints import FOREIGN_KEYS, PRIMARY_KEY, read_foreign_keys, read_primary_key

EXAMPLE = "CHECK CONSTRAINTS ON TABLE demo.sales"


@dataclass(frozen=True)
class CheckConstraints:
    """The command CHECK CONSTRAINTS, which checks the declared keys of a table.

    The result has one row for each condition, such as `PRIMARY KEY (id): unique`: the condition, the number of rows
    that violate the condition, and the query that counts these rows.
    """

    table: tuple[str, ...]

    async def run(self, ctx: Context, session: ClientSession, log: Log) -> ResultSet:
        name = await ctx.resolve(session, self.table)
        listed = await session.upstream.query(f"SHOW TBLPROPERTIES {name.sql()}")
        rows = []
        for constraint, query in _checks(name, {str(key): str(value) for key, value, *_ in listed.rows}):
            counted = await session.upstream.query(query)
            rows.append((constraint, counted.rows[0][0], query))
        return ResultSet.of("constraint", "violations bigint", "query", rows=rows)


def _checks(table: TableName, properties: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each condition that the declared keys impose, such as `PRIMARY KEY (id): unique`, with the query that
    counts the rows that violate the condition.

    Raise SqlError 22023 for an invalid declaration, and SQLSTATE 42704 if the table declares no keys.
    """
    try:
        primary = read_primary_key(properties[PRIMARY_KEY]) if PRIMARY_KEY in properties else ()
        foreign = read_foreign_keys(properties.get(FOREIGN_KEYS, ""), table)
    except ConstraintError as problem:
        raise SqlError(
            f"the declared keys of {table} are wrong: {problem}; correct the table's properties", "22023"
        ) from problem
    if not primary and not foreign:
        raise SqlError(
            f"{table} declares no keys: declare them with ALTER TABLE {table.sql()} SET TBLPROPERTIES "
            f"('{PRIMARY_KEY}' = '<column>', '{FOREIGN_KEYS}' = '(<column>) REFERENCES <table> (<column>)')",
            "42704",
        )
    if primary:
        listed = ", ".join(map(quoted, primary))
        yield f"PRIMARY KEY ({listed}): no NULL", _count(table, " OR ".join(f"{quoted(c)} IS NULL" for c in primary))
        yield f"PRIMARY KEY ({listed}): unique", _repeated(table, primary)
    for key in foreign:
        yield f"{key}: there", _dangling(table, key)
        yield f"{key}: unique there", _repeated(key.table, key.referenced)


def _count(table: TableName, condition: str) -> str:
    return f"SELECT count(*) FROM {table.sql()} WHERE {condition}"


def _repeated(table: TableName, columns: Sequence[str]) -> str:
    """Return the query that counts duplicate rows: of n rows with the same key, n - 1 rows are counted.

    Keys with a NULL are not counted.
    """
    listed = ", ".join(map(quoted, columns))
    known = " AND ".join(f"{quoted(column)} IS NOT NULL" for column in columns)
    groups = f"SELECT count(*) AS n FROM {table.sql()} WHERE {known} GROUP BY {listed} HAVING count(*) > 1"
    return f"SELECT coalesce(sum(n - 1), 0) FROM ({groups})"


def _dangling(table: TableName, key: ForeignKey) -> str:
    """Return the query that counts the rows whose foreign key does not exist in the referenced table.

    Foreign keys with a NULL are not counted.
    """
    pairs = zip(key.columns, key.referenced, strict=True)
    same = " AND ".join(f"other.{quoted(theirs)} = mine.{quoted(ours)}" for ours, theirs in pairs)
    known = " AND ".join(f"mine.{quoted(column)} IS NOT NULL" for column in key.columns)
    there = f"EXISTS (SELECT 1 FROM {key.table.sql()} AS other WHERE {same})"
    return f"SELECT count(*) FROM {table.sql()} AS mine WHERE {known} AND NOT {there}"


def parse(parser: Parser) -> CheckConstraints:
    """Parse the rest of the statement, after CHECK CONSTRAINTS; raise SqlError 42601 for a syntax error."""
    parser.accept("ON")
    parser.accept("TABLE")
    command = CheckConstraints(parser.name("a table's name"))
    parser.end()
    return command
