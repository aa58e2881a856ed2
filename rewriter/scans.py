"""Estimates the work of a plan in Spark: rows and bytes read after pruning, scans, joins and shuffles.

The constants are the least-squares fit of benchmarks/reading.py on the Spark of the integration tests with two cores.
Only their ratios matter: one more scan, join or shuffle costs as much as a certain number of rows read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from rewriter.functions.types import as_decimal
from rewriter.model import Table
from rewriter.model.statistics import FEW_ROWS, FileGroup
from rewriter.pruning import Wanted, kept

# Milliseconds for each scan, join and shuffle, whatever its size.
SCAN, JOIN, SHUFFLE = 14.0, 20.0, 45.0
# Milliseconds for each row read, each row that passes through a join, and each byte of the columns read.
ROW, JOINED, BYTE = 5e-6, 1.4e-5, 3e-6
# The bytes of a row if only the number of rows is known; the number of rows of a table without any totals.
RECORD, UNKNOWN = 64, 10**12
# Bytes of a value by its type; 16 for other types.
_WIDTHS = {"boolean": 1, "tinyint": 1, "smallint": 2, "int": 4, "date": 4, "float": 4, "bigint": 8, "double": 8,
           "timestamp": 8, "timestamp_ntz": 8}  # fmt: skip
_WIDE = 16
# A value of a DECIMAL of more than 18 digits takes as long as these further bytes, because Spark decodes such values
# one by one: 5.3 million sums took 80 to 100 ms longer than as many prices of 15 digits, with two cores.
_DECODED = 5
_LONG = 18  # the digits of a DECIMAL that Spark keeps as a BIGINT


class Estimate(NamedTuple):  # a frozen dataclass with as many fields takes seven times as long to create
    """The estimated work of a plan in Spark.

    - `scans`, `joins`, `shuffles`: the numbers of scans, joins and shuffles
    - `rows`, `bytes`: the amounts read after pruning (after skipping the files that a filter excludes)
    - `held`: the number of rows of all tables before pruning
    - `largest`: the rows of the largest scan
    - `joined`: the rows that pass through joins
    - `files`: the number of data files that are read; `all_files`: their number without pruning. Tables whose files are
      not known do not count
    - `known`: false if the size of a table is unknown
    """

    scans: int = 0
    rows: float = 0
    held: float = 0
    bytes: float = 0
    largest: float = 0
    joined: float = 0
    joins: int = 0
    shuffles: int = 0
    files: int = 0
    all_files: int = 0
    known: bool = True

    def then(self, joins: int = 0, shuffles: int = 0) -> Estimate:
        """Return the estimate with joins and shuffles added.

        The rows of the largest scan pass through each added join.
        """
        joined = self.joined + joins * self.largest
        return self._replace(joined=joined, joins=self.joins + joins, shuffles=self.shuffles + shuffles)

    @property
    def ms(self) -> float:
        """The estimated time in milliseconds, without the fixed overhead that each statement has."""
        fixed = SCAN * self.scans + JOIN * self.joins + SHUFFLE * self.shuffles
        return fixed + ROW * self.rows + JOINED * self.joined + BYTE * self.bytes

    def gains_on(self, tables: Estimate) -> bool:
        """Return whether this plan is cheaper than the base tables, whose estimate is `tables`.

        Always return True if both plans read few rows (FEW_ROWS), or if the size of a table of this plan is unknown.
        """
        if not self.known or (self.rows <= FEW_ROWS and tables.held <= FEW_ROWS):
            return True
        return self.ms < tables.ms

    def __str__(self) -> str:
        if not self.known:
            return "unknown time, because the size of a table is not known"
        files = f" of {self.files:,} of {self.all_files:,} files" if self.all_files else ""
        parts = [f"{self.rows:,.0f} rows{files} in {_counted(self.scans, 'scan')}"]
        parts += [_counted(n, what) for n, what in ((self.joins, "join"), (self.shuffles, "shuffle")) if n]
        return f"about {self.ms:,.0f} ms: {', '.join(parts)}"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


NOTHING = Estimate()


def total(estimates: Iterable[Estimate]) -> Estimate:
    """Return the sum of the estimates of several scans of one plan; NOTHING, an estimate of zeros, if there are none.

    >>> str(total([Estimate(1, 1000, known=True), Estimate(1, 200, known=True)]))
    'about 28 ms: 1,200 rows in 2 scans'
    """
    several = list(estimates)
    if len(several) < 2:
        return several[0] if several else NOTHING
    scans, rows, held, size, largest, joined, joins, shuffles, files, all_files, known = zip(*several, strict=True)
    return Estimate(
        sum(scans),
        sum(rows),
        sum(held),
        sum(size),
        max(largest),
        sum(joined),
        sum(joins),
        sum(shuffles),
        sum(files),
        sum(all_files),
        all(known),
    )


def scan_of(table: Table, share: float = 1.0) -> Estimate:
    """Return the estimate of reading a share (0 to 1) of a table's rows with all columns, from the table's totals.

    If the table has no totals, return the estimate UNKNOWN_SCAN, which is high and whose `known` is false.
    """
    if table.size is None and table.records is None:
        return UNKNOWN_SCAN
    rows = table.records if table.records is not None else (table.size or 0) / RECORD
    size = table.size if table.size is not None else rows * RECORD
    return Estimate(1, share * rows, rows, share * size, share * rows)


def least_ms(table: Table, share: float, pruned: float, columns: int) -> float:
    """Return the estimated milliseconds for reading a share (0 to 1) of a storage table's rows.

    Of a table with more than FEW_ROWS rows, only `columns` columns and the share `pruned` of the rows are read. No
    Estimate is created, because this function runs for each view that could answer a block.
    """
    rows = table.records
    if rows is None:
        return scan_of(table, share).ms
    size = float(table.size if table.size is not None else rows * RECORD)
    if rows > FEW_ROWS:
        share *= pruned
        size *= min(1.0, columns / max(1, len(table.columns)))
    return SCAN + share * (rows * ROW + size * BYTE)


UNKNOWN_SCAN = Estimate(1, UNKNOWN, UNKNOWN, UNKNOWN * RECORD, UNKNOWN, known=False)


def pruned_scan(table: Table, columns: Collection[str], wanted: Wanted, share: float = 1.0) -> Estimate:
    """Return the estimate of reading these columns (in lower case) of the files that a filter cannot exclude.

    `wanted` are the values that the filter allows, by the column's field id. If the table's files are unknown, return
    the estimate of reading a `share` (0 to 1) of the table's rows.
    """
    if table.statistics is None:
        whole = scan_of(table, share)
        if not whole.known:
            return whole
        # Without a size, the types of columns tell narrow storage from a wide table.
        several = table.size is not None
        size = whole.bytes * _share_of_width(table, columns) if several else whole.rows * _width(table, columns)
        return Estimate(1, whole.rows, whole.held, size + whole.rows * _decoded(table, columns), whole.largest)
    rows, size, files = 0, 0.0, 0
    ids = [column.field_id for column in table.columns if column.name.lower() in columns]
    width = _share_of_width(table, columns)
    for group in table.statistics.groups:
        for at in kept(group, wanted):
            rows += group.records[at]
            size += _size_of(group, at, ids, width)
            files += 1
    statistics = table.statistics
    size += rows * _decoded(table, columns)
    return Estimate(1, rows, statistics.records, size, rows, files=files, all_files=statistics.files)


def _share_of_width(table: Table, columns: Collection[str]) -> float:
    """Return the share (0 to 1) of a row's bytes that these columns take, by their types."""
    part = whole = 0
    for column in table.columns:
        width = _WIDTHS.get(column.type, _WIDE)
        whole += width
        if column.name.lower() in columns:
            part += width
    return part / whole if whole else 1.0


def _decoded(table: Table, columns: Collection[str]) -> int:
    """Return the further bytes that take as long as decoding a row's values of DECIMALs of more than 18 digits."""
    kinds = (as_decimal(column.type) for column in table.columns if column.name.lower() in columns)
    return _DECODED * sum(kind is not None and kind.precision > _LONG for kind in kinds)


def _width(table: Table, columns: Collection[str]) -> int:
    """Return the estimated number of bytes that the values of these columns take in one row, by the columns' types."""
    known = table.by_name
    return sum([_WIDTHS.get(known[name].type, _WIDE) for name in columns if name in known])


def _size_of(group: FileGroup, at: int, ids: Collection[int], width: float) -> float:
    """Return the bytes that the columns with the field ids `ids` take in the file at position `at` of a group.

    If the sizes of these columns in the file are not all known, return the file's size times `width`, the share (0 to
    1) of a row that the columns take.
    """
    columns = [group.columns[each] for each in ids if each in group.columns]
    known = [size for column in columns if (size := column.sizes[at]) is not None]
    return sum(known) if len(known) == len(ids) else group.sizes[at] * width
