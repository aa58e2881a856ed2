"""Spark's types: conversion from Iceberg's types, and description to JDBC drivers; without I/O.

Type names such as `decimal(10,2)` are parsed only by `proxy.hs2.types.TypeName`.
"""

from proxy.sql_types.columns import JdbcType, SqlType, described_type, jdbc_type, spark_type, sql_type

__all__ = ["JdbcType", "SqlType", "described_type", "jdbc_type", "spark_type", "sql_type"]
