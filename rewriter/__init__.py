"""The view matcher: decides which parts of a statement can be answered from materialized views with the same result.

The package is pure: its input is a statement, view definitions and the state of the catalog, its output an Outcome,
which has the SQL to run and the reasons for it. The package uses no clock, no network, no threads and no Spark. A block
is one SELECT of a statement, as an object.

    statement = parse(sql, session)                      # the statement's blocks, and the tables that it names
    names = definitions.closure(statement)               # all relations to look up in the catalog, in one request
    outcome = rewrite(statement, definitions, relations) # which blocks are answered from which views
    outcome.sql(schemas)                                 # the SQL to run; its column names and types are Spark's

A server, which gets the same statements again and again, uses `Recent(definitions)`, which caches the first three
steps: `asked = recent.ask(sql, session)`, `asked.names`, `asked.decide(relations)`.

Without a server or Spark, over tables and views from a SQL script (`rewriter.script`):

    workspace = read_script("CREATE TABLE …; CREATE MATERIALIZED VIEW … AS SELECT …")
    workspace.explain("SELECT …").sql

Packages and modules, of which each imports only those to its right: script > suggest | recent | findings > remedy >
staleness > expanding | past | sharing > pivots > engine > fresh > consistency | correlation | outcome > verify > cost |
metadata > scans > pruning | sizes > freshness | index | maintenance > rules > match > delta > spelling > derived |
layers > schema > asking > question > shelf > needs > block > functions > timeseries > sql > model.

The index and the modules from `asking` to `needs` select the views that could answer a statement (the shortlist);
`definitions.thorough` tries all views, for explanations. The selection uses only the names in the statement, because it
runs before the catalog is asked: the relations to look up depend on the selected views, and the catalog is asked only
once. Selecting by blocks instead would need the tables' columns first, and costs more if no view answers: building a
block takes 1.0 ms, collecting names 0.45 ms (benchmarks/rewrite_latency.py, statements that none of 10,000 views
answers). A view kept as a block would take 100 KiB of memory instead of 8.

networkx is used only for the dependency graph of tables and views (`Definitions.graph`), which refreshes and lookups
follow, and is imported only then. The joins of a block are not stored as such a graph: a block has ten tables at most
in practice, and table mappings are enumerated together with their predicates.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rewriter.public import *  # noqa: F403  # checked as the names of this package


# The public names that need only `rewriter.sql`, which takes 0.25 s of processor time to import.
_OF_SQL = frozenset({"AsOf", "View", "by_name", "in_place"})


def __getattr__(name: str) -> Any:
    """Import a public name of the package on its first use, and return its value; raise AttributeError for other names.

    Importing all modules takes 0.6 s of processor time, which a program that uses only `rewriter.model` saves.
    """
    if name in _OF_SQL:
        return getattr(import_module("rewriter.sql"), name)
    # `from rewriter import public` would call this function for the module itself
    public = import_module("rewriter.public")
    if name not in public.__all__:
        raise AttributeError(f"module rewriter has no attribute {name}")
    return getattr(public, name)
