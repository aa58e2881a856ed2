"""Many views of mixed shapes over TPC-H and SSB, and the queries of both, for the benchmarks of the rewriter.

The documented views of the workloads come first, in turns. All further views are random: some of the joins, some keys
of the joined tables, some aggregates, sometimes a filter. SSB's tables are named ssb_… here, because three have the
name of a table of TPC-H.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from rewriter import Definitions
from rewriter.fresh import fresh_view
from rewriter.model import Declared
from rewriter.script import Workspace, read_script
from tests.workloads.corpus import queries, script

SSB_TABLES = re.compile(r"\b(dates|customer|supplier|part|lineorder)\b")
SSB_VIEWS = re.compile(r"(?<=VIEW )(\w+)")


@dataclass(frozen=True)
class Star:
    """A fact table, the tables that can be joined to it (each with its condition, perhaps through another table), keys
    and measures.
    """

    fact: str
    joins: Mapping[str, tuple[str, tuple[str, ...]]]
    keys: Mapping[str, Sequence[str]]
    measures: Sequence[str]
    filters: Sequence[str]


STARS = (
    Star(
        "ssb_lineorder",
        {
            "ssb_dates": ("lo_orderdate = d_datekey", ()),
            "ssb_customer": ("lo_custkey = c_custkey", ()),
            "ssb_supplier": ("lo_suppkey = s_suppkey", ()),
            "ssb_part": ("lo_partkey = p_partkey", ()),
        },
        {
            "ssb_lineorder": ("lo_orderdate", "lo_discount", "lo_quantity", "lo_custkey", "lo_suppkey", "lo_partkey"),
            "ssb_dates": ("d_year", "d_yearmonthnum", "d_yearmonth", "d_weeknuminyear", "d_month"),
            "ssb_customer": ("c_region", "c_nation", "c_city", "c_mktsegment"),
            "ssb_supplier": ("s_region", "s_nation", "s_city"),
            "ssb_part": ("p_mfgr", "p_category", "p_brand1"),
        },
        (
            "sum(lo_revenue)", "sum(lo_revenue - lo_supplycost)", "sum(lo_extendedprice * lo_discount)", "count(*)",
            "min(lo_revenue)", "max(lo_revenue)", "avg(lo_quantity)", "sum(lo_quantity)",
        ),
        ("lo_discount BETWEEN 1 AND 5", "lo_quantity < 30", "lo_orderdate >= 19940101", "lo_revenue > 1000"),
    ),
    Star(
        "lineitem",
        {
            "orders": ("l_orderkey = o_orderkey", ()),
            "customer": ("o_custkey = c_custkey", ("orders",)),
            "nation": ("c_nationkey = n_nationkey", ("orders", "customer")),
            "region": ("n_regionkey = r_regionkey", ("orders", "customer", "nation")),
            "part": ("l_partkey = p_partkey", ()),
            "supplier": ("l_suppkey = s_suppkey", ()),
        },
        {
            "lineitem": ("l_returnflag", "l_linestatus", "l_shipdate", "l_shipmode", "l_discount", "l_quantity"),
            "orders": ("o_orderdate", "o_orderpriority", "o_orderstatus", "year(o_orderdate)"),
            "customer": ("c_mktsegment", "c_nationkey", "c_custkey"),
            "nation": ("n_name",),
            "region": ("r_name",),
            "part": ("p_type", "p_brand", "p_container", "p_size"),
            "supplier": ("s_nationkey", "s_suppkey"),
        },
        (
            "sum(l_quantity)", "sum(l_extendedprice)", "sum(l_extendedprice * (1 - l_discount))", "count(*)",
            "avg(l_quantity)", "sum(l_extendedprice * l_discount)", "min(l_shipdate)", "max(l_extendedprice)",
        ),
        ("l_shipdate >= DATE '1994-01-01'", "l_quantity < 30", "l_discount < 0.09", "l_returnflag = 'R'"),
    ),
)  # fmt: skip


def tables_and_views() -> str:
    """Return both workloads as one script."""
    ssb = SSB_VIEWS.sub(r"ssb_\1", SSB_TABLES.sub(r"ssb_\1", script("ssb")))
    return f"{ssb.rstrip().rstrip(';')};\n{script('tpch')}"


def workload_queries() -> dict[str, str]:
    """Return the queries of both workloads, by name."""
    ssb = {f"ssb {q.name}": SSB_TABLES.sub(r"ssb_\1", q.sql) for q in queries("ssb")}
    return {**ssb, **{f"tpch {q.name}": q.sql for q in queries("tpch")}}


def without_answer(sql: str) -> str:
    """Return the query with a filter on a column that no view has."""
    line = "lo_linenumber" if "ssb_lineorder" in sql else "l_linenumber"
    return sql.replace("WHERE ", f"WHERE {line} = 1 AND ", 1)


def drawn(count: int, seed: int = 1) -> Iterator[tuple[str, str]]:
    """Yield the names and queries of random views."""
    random = Random(seed)
    for number in range(count):
        yield f"drawn_{number}", _view(random, random.choice(STARS))


def _view(random: Random, star: Star) -> str:
    chosen = random.sample(sorted(star.joins), random.randint(0, len(star.joins)))
    joined = [t for t in star.joins if t in chosen or any(t in star.joins[other][1] for other in chosen)]
    pool = [key for table in (star.fact, *joined) for key in star.keys[table]]
    keys = random.sample(pool, random.randint(1, min(7, len(pool))))
    measures = random.sample(star.measures, random.randint(1, 4))
    items = [f"{item} AS c{i}" for i, item in enumerate((*keys, *measures))]
    joins = "".join(f" JOIN {table} ON {star.joins[table][0]}" for table in joined)
    where = f" WHERE {random.choice(star.filters)}" if random.random() < 0.3 else ""
    return f"SELECT {', '.join(items)} FROM {star.fact}{joins}{where} GROUP BY {', '.join(keys)}"


def overlapping(count: int) -> Iterator[tuple[str, str]]:
    """Yield names and queries of views that each hold a year of the rows or more, most of it in common
    with the next.
    """
    for number in range(count):
        first, last = f"199{number % 5}-{number % 12 + 1:02d}-01", f"199{number % 5 + 1 + number % 3}-01-01"
        yield (
            f"part_{number}",
            (
                "SELECT l_shipdate, l_returnflag, l_linestatus, sum(l_quantity) AS q, count(*) AS n FROM lineitem "
                f"WHERE l_shipdate >= DATE '{first}' AND l_shipdate < DATE '{last}' "
                "GROUP BY l_shipdate, l_returnflag, l_linestatus"
            ),
        )


def partial_queries() -> list[str]:
    """Return queries of which such views hold a part of the rows."""
    asked = ("sum(l_quantity)", "count(*)", "sum(l_quantity), count(*)")
    ranges = ("", " WHERE l_shipdate < DATE '1997-06-01'", " WHERE l_shipdate >= DATE '1993-03-15'")
    keys = ("l_returnflag", "l_linestatus", "l_returnflag, l_linestatus")
    return [f"SELECT {k}, {a} FROM lineitem{r} GROUP BY {k}" for a in asked for r in ranges for k in keys]


def workspace(count: int, parts: int = 0) -> Workspace:
    """Return a workspace with this number of views, of which some hold overlapping parts of the rows."""
    base = read_script(tables_and_views())
    named = list(base.definitions.views)
    first = [view for pair in zip(named, reversed(named), strict=True) for view in pair]
    views = list({view.name: view for view in first}.values())[:count]
    relations = dict(base.relations)
    for name, sql in (*overlapping(parts), *drawn(count - len(views) - parts)):
        resolved = base.session.resolve((name,))
        assert resolved is not None
        made = fresh_view(resolved, sql, base.session, base.relations)
        made.put(relations)
        views.append(made.view)
    return Workspace(base.session, relations, Definitions(tuple(views), declared=Declared().learned(relations)))
