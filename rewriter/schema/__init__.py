"""Computes the names and types of a query's outputs as Spark would, without asking Spark.

The rules cover the names and types that tests/integration/test_schema.py compares with Spark's under default settings.
For any other name or type the functions raise Uncertain instead of guessing.
"""

from rewriter.functions.types import UNKNOWN, Uncertain, column_type
from rewriter.schema.columns import expression_type, numeric_type, output_columns, output_names, output_types
from rewriter.schema.components import argument_types, components_of
from rewriter.schema.names import name_of
from rewriter.schema.oracle import type_of

__all__ = [
    "UNKNOWN",
    "Uncertain",
    "argument_types",
    "column_type",
    "components_of",
    "expression_type",
    "name_of",
    "numeric_type",
    "output_columns",
    "output_names",
    "output_types",
    "type_of",
]
