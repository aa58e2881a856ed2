"""The view matcher: decides which SQL over materialized views can answer a statement in place of its own SQL.

It is pure: a statement, definitions and the state of the catalog go in, an Outcome comes out. It uses no clock, no
network, no threads and no Spark.

    statement = parse(sql, session)                      # cut into blocks, the tables it names
    names = definitions.closure(statement)               # all that has to be looked up, in one go
    outcome = rewrite(statement, definitions, relations) # which blocks are answered from which views
    outcome.sql(schemas)                                 # the text to run, names and types as Spark's

A server, which gets the same statements again and again, uses `Recent(definitions)`, which caches the first three
steps: `asked = recent.ask(sql, session)`, `asked.names`, `asked.decide(relations)`.

Without a server or Spark, over tables and views from a SQL script (`rewriter.script`):

    workspace = read_script("CREATE TABLE …; CREATE MATERIALIZED VIEW … AS SELECT …")
    workspace.explain("SELECT …").sql

Packages and modules, from the top: script > suggest | recent | findings > remedy > staleness > expanding | past |
sharing > engine > fresh > consistency | correlation | outcome > verify > cost | metadata > freshness | index |
maintenance > rules > match > delta > spelling > derived | layers > schema > asking > question > shelf > needs > block >
functions > timeseries > sql > model.
The index and the modules from `asking` to `needs` select the views that could answer; `definitions.thorough` tries all
views, for explanations. They use only the names in a statement, before the catalog is asked: which relations must be
looked up depends on the views selected, and the catalog is asked only once. To select by blocks instead would need the
columns first, and costs more where no view answers: building a block takes 1.0 ms, collecting names 0.45 (misses of
benchmarks/rewrite_latency.py over 10,000 views), and a view kept as a block takes 100 KiB instead of 8.

networkx is used only for the graph of views over tables and views (`Definitions.graph`), which refreshes and lookups
follow, and is imported only then. The joins of a block are no such graph: a block has ten tables at most in practice,
and mappings are enumerated together with their predicates.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rewriter.public import *  # noqa: F403  # checked as the names of this package


def __getattr__(name: str) -> Any:
    """Import the engine on first use: the import takes 0.6 s of processor time, and `rewriter.model` alone does not
    need it.
    """
    # `from rewriter import public` would call this function for the module itself
    public = import_module("rewriter.public")
    if name not in public.__all__:
        raise AttributeError(f"module rewriter has no attribute {name}")
    return getattr(public, name)
