"""Random sequences of writes to two tables, and views over them, by seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

COLUMNS = "id BIGINT, k STRING, x INT, z INT, m DECIMAL(10,2), y DOUBLE, ts TIMESTAMP, d DATE, did INT"
PARTITIONS = ("", "(d)", "(d)", "(days(ts))", "(days(ts))", "(months(d))", "(k)", "(bucket(3, id))", "(d, k)")
KEYS = ("'a'", "'b'", "'it''s'", "NULL")
# Sums of these are exact in any order, so contents can be compared to the last bit.
FLOATS = ("0D", "double('-0.0')", "0.5D", "-2.25D", "double('NaN')", "double('Infinity')", "NULL")
TIMES = tuple(f"'2024-{month}-{day} {time}'" for month, day in (("01", "31"), ("02", "01"), ("02", "02"))
              for time in ("00:00:00", "10:59:59", "11:00:30", "23:59:59.5"))  # fmt: skip

# Each shape with the ways of partitioning its storage.
VIEWS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("SELECT k, count(*) AS c, sum(x) AS s, min(x) AS mn, max(m) AS mx, avg(m) AS a FROM f GROUP BY k", ("", "(k)")),
    ("SELECT k, d, count(*) AS c, count(x) AS cx, sum(x) AS s, count(m) AS cm, sum(m) AS sm, avg(x) AS ax, "
     "avg(CAST(z AS BIGINT)) AS az FROM f GROUP BY k, d", ("", "(d)", "(k)")),
    ("SELECT count(*) AS c, count(x) AS cx, sum(x) AS s, max(y) AS my FROM f", ("",)),
    ("SELECT sum(y) AS sy, avg(y) AS ay, bool_or(x > 2) AS b FROM f WHERE z < 8", ("",)),
    ("SELECT y, count(*) AS c, sum(z) AS sz FROM f GROUP BY y", ("",)),
    ("SELECT k, bitmap_bucket_number(x) AS n, bitmap_construct_agg(bitmap_bit_position(x)) AS bits, "
     "theta_sketch_agg(z, 5) AS zs, regr_count(x, z) AS both FROM f GROUP BY k, bitmap_bucket_number(x)", ("", "(k)")),
    ("SELECT id, k, x * 2 AS twice, upper(k) AS u, d FROM f WHERE x IS NULL OR x > 2", ("", "(d)")),
    ("SELECT DISTINCT k, d FROM f", ("", "(d)")),
    ("SELECT d, count(DISTINCT x) AS dx, min(y) AS my FROM f GROUP BY d", ("", "(d)")),
    ("SELECT year(d) AS yr, month(d) AS mo, count(*) AS c, max(x) AS mx FROM f GROUP BY 1, 2",
     ("", "(yr, mo)", "(mo)")),
    ("SELECT k, count(*) AS c FROM f GROUP BY k HAVING count(*) > 1", ("",)),
    ("SELECT k, sum(x) / count(*) AS r, count(x) FILTER (WHERE z > 3) AS cf FROM f GROUP BY k", ("",)),
    ("SELECT timeseries(ts, 'minute') AS t, count(*) AS c, sum(z) AS sz FROM f GROUP BY 1",
     ("", "(days(t))")),
    ("SELECT timeseries(ts, 'hour') AS t, k, min(x) AS mn, avg(m) AS a FROM f GROUP BY 1, 2", ("", "(days(t))", "(k)")),
    ("SELECT timeseries(ts, 'day') AS t, max(m) AS mm, count(y) AS cy FROM f GROUP BY 1", ("", "(t)", "(months(t))")),
    ("SELECT timeseries(d, 'month') AS t, count(*) AS c, count(m) AS cm, sum(m) AS sm FROM f GROUP BY 1", ("", "(t)")),
    ("SELECT g.name, count(*) AS c, sum(w) AS sw, max(x) AS mx FROM f JOIN g ON f.did = g.did GROUP BY g.name", ("",)),
    ("SELECT f.id, g.name, f.d FROM f JOIN g ON f.did = g.did WHERE g.w < 40", ("", "(d)")),
    ("SELECT f.k, g.name, count(*) AS c FROM f LEFT JOIN g ON f.did = g.did GROUP BY f.k, g.name", ("",)),
    ("SELECT l.id AS i, r.id AS j FROM f l JOIN f r ON l.x = r.z", ("",)),
    ("SELECT k, x, rank() OVER (PARTITION BY k ORDER BY x) AS r FROM f", ("",)),
    ("SELECT k FROM f UNION ALL SELECT name FROM g", ("",)),
)  # fmt: skip

# Views that follow from those above whose queries begin like this.
COARSER = {
    "SELECT k, d, count(*)": "SELECT d, count(*) AS c, sum(x) AS s, sum(m) AS sm, avg(x) AS ax FROM f GROUP BY d",
    "SELECT DISTINCT k, d": "SELECT DISTINCT d FROM f WHERE k IS NOT NULL",
    "SELECT timeseries(ts, 'minute')": "SELECT timeseries(ts, 'hour') AS t, sum(z) AS sz FROM f GROUP BY 1",
    "SELECT timeseries(ts, 'hour')": "SELECT timeseries(ts, 'day') AS t, min(x) AS mn, avg(m) AS a FROM f GROUP BY 1",
    "SELECT f.k, g.name": "SELECT f.k, count(*) AS c FROM f LEFT JOIN g ON f.did = g.did GROUP BY f.k",
}


@dataclass(frozen=True)
class Made:
    """The definitions of the tables, of two views over them, and of views computed from those."""

    partition: str
    properties: str
    views: tuple[tuple[str, str], ...]


def made(random: Random, seed: int) -> Made:
    """Return the tables and views of a seed; as many seeds as there are shapes try each shape of view once."""
    modes = ("copy-on-write", "copy-on-write", "merge-on-read")
    mode = random.choice(modes)
    written = ", ".join(f"'write.{verb}.mode'='{mode}'" for verb in ("delete", "update", "merge"))
    chosen = (VIEWS[seed % len(VIEWS)], random.choice(VIEWS))
    views = tuple((query, random.choice((*partitions, *partitions[1:]))) for query, partitions in chosen)
    coarser = (less for query, _ in chosen for finer, less in COARSER.items() if query.startswith(finer))
    views += tuple((query, "") for query in dict.fromkeys(coarser))
    return Made(random.choice(PARTITIONS), f"'format-version'='{random.choice((2, 2, 3))}', {written}", views)


class Writer:
    """Yields statements that write to `f` and `g`; None stands for a rollback, to a snapshot that is not known here."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.number = 0

    def rows(self, count: int) -> str:
        """Return rows of `f` as VALUES."""
        return ", ".join(self._row() for _ in range(count))

    def _row(self) -> str:
        pick = self.random.choice
        self.number += 1
        time = pick(TIMES)
        x, z = (pick(("NULL", str(self.random.randrange(6)))), str(self.random.randrange(10)))
        amount = pick(("NULL", f"{self.random.randrange(-500, 500) / 4}BD", "99999999.99BD"))
        return f"({self.number}, {pick(KEYS)}, {x}, {z}, {amount}, {pick(FLOATS)}, TIMESTAMP {time}, " \
               f"CAST({time} AS DATE), {pick(('1', '2', '3', 'NULL'))})"  # fmt: skip

    def some_rows(self) -> str:
        """Return a condition on few rows of `f`."""
        pick = self.random.choice
        return pick((f"id % 7 = {self.random.randrange(7)}", f"k <=> {pick(KEYS)}", f"x = {self.random.randrange(6)}",
                     f"d = DATE {pick(TIMES)[:11]}'", f"id = {self.random.randrange(1, 20)}",
                     f"k = 'b' AND z > {self.random.randrange(10)}"))  # fmt: skip

    def append(self) -> list[str]:
        return [f"INSERT INTO f ({self.names()}) VALUES {self.rows(self.random.randrange(1, 6))}"]

    def names(self) -> str:
        return ", ".join(column.split()[0] for column in COLUMNS.split(", ") if " " in column)

    def append_dimension(self) -> list[str]:
        return [f"INSERT INTO g VALUES ({self.random.randrange(1, 4)}, 'n{self.random.randrange(3)}', 7)"]

    def change_dimension(self) -> list[str]:
        return [f"UPDATE g SET w = w + 30 WHERE did = {self.random.randrange(1, 4)}"]

    def delete(self) -> list[str]:
        return [f"DELETE FROM f WHERE {self.some_rows()}"]

    def delete_nothing(self) -> list[str]:
        return [self.random.choice(("DELETE FROM f WHERE id = -5", "UPDATE f SET x = 1 WHERE id = -5",
                                    "INSERT INTO f SELECT * FROM f WHERE id = -5"))]  # fmt: skip

    def update(self) -> list[str]:
        change = self.random.choice(("x = x + 1", "m = NULL", "k = 'b'", "y = -y", "d = date_add(d, 1)"))
        return [f"UPDATE f SET {change} WHERE {self.some_rows()}"]

    def merge(self) -> list[str]:
        source = f"SELECT * FROM VALUES {self.rows(2)} AS v({self.names()})"
        return [f"MERGE INTO f USING ({source}) s ON f.x = s.z AND f.id % 3 = 0 WHEN MATCHED AND f.z > 5 THEN DELETE "
                f"WHEN MATCHED THEN UPDATE SET f.m = 1.25 WHEN NOT MATCHED THEN INSERT ({self.names()}) "
                f"VALUES ({', '.join('s.' + name for name in self.names().split(', '))})"]  # fmt: skip

    def overwrite(self) -> list[str]:
        mode = self.random.choice(("static", "dynamic"))
        return [f"SET spark.sql.sources.partitionOverwriteMode={mode}",
                f"INSERT OVERWRITE f ({self.names()}) VALUES {self.rows(3)}"]  # fmt: skip

    def truncate(self) -> list[str]:
        return ["TRUNCATE TABLE f", *self.append()]

    def compact(self) -> list[str]:
        return ["CALL lake.system.rewrite_data_files(table => '{namespace}.f', options => map('rewrite-all', 'true'))"]

    def expire(self) -> list[str]:
        return ["CALL lake.system.expire_snapshots(table => '{namespace}.f', retain_last => 1, "
                "older_than => current_timestamp())"]  # fmt: skip

    def roll_back(self) -> list[str]:
        return ["ROLL BACK"]

    def add_column(self) -> list[str]:
        self.number += 1
        return [f"ALTER TABLE f ADD COLUMN extra{self.number} STRING"]

    def swap_columns(self) -> list[str]:
        pairs = (("x", "swapped"), ("z", "x"), ("swapped", "z"))
        return [f"ALTER TABLE f RENAME COLUMN {old} TO {new}" for old, new in pairs]

    def new_column(self) -> list[str]:
        return ["ALTER TABLE f DROP COLUMN z", "ALTER TABLE f ADD COLUMN z INT"]

    def replace_table(self) -> list[str]:
        return [f"CREATE OR REPLACE TABLE f USING iceberg AS SELECT * FROM f WHERE NOT ({self.some_rows()})"]

    def batches(self, count: int) -> Iterator[list[str]]:
        """Yield the writes before each of a number of refreshes."""
        kinds = {
            self.append: 9, self.append_dimension: 2, self.change_dimension: 1, self.delete: 3, self.delete_nothing: 1,
            self.update: 3, self.merge: 1, self.overwrite: 2, self.truncate: 1, self.compact: 2, self.expire: 1,
            self.roll_back: 1, self.add_column: 1, self.swap_columns: 1, self.new_column: 1, self.replace_table: 1,
        }  # fmt: skip
        appends = {kind: kinds[kind] for kind in (self.append, self.append_dimension, self.add_column, self.compact)}
        small = {kind: kinds[kind] for kind in (self.delete, self.update, self.append, self.delete_nothing)}
        ways = self.random.sample((appends, small, kinds), 3)
        for at in range(count):
            among = ways[at % 3]
            chosen = self.random.choices(list(among), list(among.values()), k=self.random.randrange(1, 3))
            yield [statement for kind in chosen for statement in kind()]
