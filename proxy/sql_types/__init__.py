"""Spark's types: `iceberg` reads them from Iceberg's types, `jdbc` describes them to drivers. PURE.

The names themselves, as `decimal(10,2)`, are parsed by `proxy.hs2.types.TypeName` alone.
"""

from proxy.sql_types.iceberg import described_type, spark_type, sql_type
from proxy.sql_types.jdbc import JdbcType, SqlType, jdbc_type

__all__ = ["JdbcType", "SqlType", "described_type", "jdbc_type", "spark_type", "sql_type"]
