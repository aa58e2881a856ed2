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

Rooms, from the top: script > suggest | recent | findings > staleness > expanding | past | sharing > engine > fresh >
consistency | correlation | outcome > verify > cost | metadata > freshness | index | maintenance > rules > match >
delta > spelling > derived | layers > schema > asking > question > shelf > needs > block > functions > timeseries >
sql > model.
The index and the rooms from `asking` to `needs` select the views that could answer; `definitions.thorough` has them all
tried, for explanations. They read a statement by the names in it, before the catalog is asked: what has to be looked up
depends on the views selected, and one look at the catalog has to do. To select by blocks instead would need the columns
first, and costs more where no view answers: a block takes 1.0 ms where the names take 0.45 (misses of
benchmarks/rewrite_latency.py over 10,000 views), and a view kept as a block 100 KiB instead of 8.

networkx has the graphs: views over tables and views (`Definitions.graph`: what a refresh and a lookup must follow), and
the grains of time (`timeseries.granularity.ROLL_UPS`: which rolls up to which). Joins of a block are no graph of it: a
block has ten tables at most in practice, and mappings are enumerated with their predicates.
"""

from rewriter.block import Unsupported
from rewriter.expanding import rewrite
from rewriter.findings import Finding, ranked
from rewriter.freshness import Live, fresh_storage, live_storage
from rewriter.index import Definitions
from rewriter.maintenance import (
    Decision,
    Definition,
    Dependency,
    Kept,
    Kind,
    Stored,
    covers,
    define,
    dependencies,
    derived_partitions,
    full,
    inherited_order,
    kept,
    misplaced,
    narrowed,
    pin,
    plan,
    qualified,
    stale_files,
    stored,
    united,
    used_columns,
)
from rewriter.match import Reason
from rewriter.outcome import Attempt, Outcome
from rewriter.past import moment_ms, rewrite_past
from rewriter.recent import Asked, Recent
from rewriter.sharing import Shared, shared, storage_question
from rewriter.spelling import blanked
from rewriter.sql import (
    AsOf,
    Edit,
    Hinted,
    ParseError,
    Statement,
    Travel,
    View,
    by_name,
    expand,
    from_storage,
    hinted,
    in_place,
    parse,
    read_by,
    splice,
    tables_of,
    tokenize,
    travel,
)
from rewriter.staleness import Bound
from rewriter.suggest import Suggestion, suggestion

__all__ = [
    "AsOf",
    "Asked",
    "Attempt",
    "Bound",
    "Decision",
    "Definition",
    "Definitions",
    "Dependency",
    "Edit",
    "Finding",
    "Hinted",
    "Kept",
    "Kind",
    "Live",
    "Outcome",
    "ParseError",
    "Reason",
    "Recent",
    "Shared",
    "Statement",
    "Stored",
    "Suggestion",
    "Travel",
    "Unsupported",
    "View",
    "blanked",
    "by_name",
    "covers",
    "define",
    "dependencies",
    "derived_partitions",
    "expand",
    "fresh_storage",
    "from_storage",
    "full",
    "hinted",
    "in_place",
    "inherited_order",
    "kept",
    "live_storage",
    "misplaced",
    "moment_ms",
    "narrowed",
    "parse",
    "pin",
    "plan",
    "qualified",
    "ranked",
    "read_by",
    "rewrite",
    "rewrite_past",
    "shared",
    "splice",
    "stale_files",
    "storage_question",
    "stored",
    "suggestion",
    "tables_of",
    "tokenize",
    "travel",
    "united",
    "used_columns",
]
