"""The view matcher: which SQL over materialized views answers a statement as its own SQL would.

Pure: a statement, definitions and the state of the catalog go in, an Outcome comes out. No clock, no
network, no threads, no Spark.

    statement = parse(sql, session)                      # cut into blocks, the tables it names
    names = definitions.closure(statement)               # all that has to be looked up, in one go
    outcome = rewrite(statement, definitions, relations) # which blocks are answered from which views
    outcome.sql(schemas)                                 # the text to run, names and types as Spark's

For a server, which is asked the same again and again, `Recent(definitions)` does the first three steps and
remembers them: `asked = recent.ask(sql, session)`, `asked.names`, `asked.decide(relations)`.

Without any server or Spark, over tables and views from a script of SQL (`rewriter.script`):

    workspace = read_script("CREATE TABLE …; CREATE MATERIALIZED VIEW … AS SELECT …")
    workspace.explain("SELECT …").sql

Rooms, from the top: script > suggest | recent | findings > remedy > staleness > expanding | past | sharing > engine >
fresh > consistency | correlation | outcome > verify > cost | metadata > freshness | index | maintenance > rules >
match > delta > spelling > derived | layers > schema > asking > question > shelf > needs > block > functions >
timeseries > sql > model.
The index and the rooms from `asking` to `needs` select the views that could answer; `definitions.thorough` has them all
tried, for explanations. They read a statement by the names in it, before the catalog is asked: what has to be looked up
depends on the views selected, and one look at the catalog has to do. To select by blocks instead would need the columns
first, and costs more where no view answers: a block takes 1.0 ms where the names take 0.45 (misses of
benchmarks/rewrite_latency.py over 10,000 views), and a view kept as a block 100 KiB instead of 8.

networkx has the graph of views over tables and views (`Definitions.graph`: what a refresh and a lookup must follow),
and is loaded for it alone. Joins of a block are no graph of it: a block has ten tables at most in practice, and
mappings are enumerated with their predicates.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rewriter.public import *  # noqa: F403  # checked as the names of this package


def __getattr__(name: str) -> Any:
    """Import the engine on first use: it takes 0.6 s of processor time, and `rewriter.model` alone does not need it."""
    public = import_module("rewriter.public")  # `from rewriter import` would ask this function for the module
    if name not in public.__all__:
        raise AttributeError(f"module rewriter has no attribute {name}")
    return getattr(public, name)
