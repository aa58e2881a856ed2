"""Expressions over one table with the names and types that Spark gives them, as recorded in spark.tsv.

The integration tests compare the record with real Spark; new lines are added there by hand.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

RECORD = Path(__file__).with_name("spark.tsv")
COLUMNS = {
    "ti": "tinyint",
    "si": "smallint",
    "i": "int",
    "l": "bigint",
    "f": "float",
    "d": "double",
    "dc": "decimal(10,2)",
    "price": "decimal(15,2)",
    "big": "decimal(38,10)",
    "d20": "decimal(20,0)",
    "s": "string",
    "b": "boolean",
    "dt": "date",
    "ts": "timestamp",
    "ntz": "timestamp_ntz",
    "bin": "binary",
}


class Recorded(NamedTuple):
    """An expression with the name and the type that Spark gives it."""

    text: str
    name: str
    type: str


def recorded() -> list[Recorded]:
    """Return the whole record."""
    return [Recorded(*line.split("\t")) for line in RECORD.read_text().splitlines()]
