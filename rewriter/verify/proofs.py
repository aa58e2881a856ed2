"""Caches verdicts, so that each plan is verified only once.

A verdict depends on the block to be answered, the plan's text, the view definitions, and the columns and keys of the
tables, but not on snapshots: a dashboard's plan is not verified again after each refresh.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from weakref import WeakKeyDictionary

from rewriter.block import Block
from rewriter.index import Definitions
from rewriter.model import Session, Table, TableName
from rewriter.verify.forms import mode_of
from rewriter.verify.leaves import Leaves, Relations
from rewriter.verify.verdict import UNDECIDED, Verdict, verify

# The facts about tables that a verdict depends on. They are compared, not hashed: mostly they are the same objects as
# before.
Facts = tuple[tuple[TableName, object], ...]

# The number of verdicts kept for one set of definitions; the oldest are dropped.
MOST = 4096
_KNOWN: WeakKeyDictionary[Definitions, dict[Hashable, tuple[Facts, Verdict]]] = WeakKeyDictionary()


def verdict_on(
    question: Block,
    original: str,
    plan: str,
    session: Session,
    definitions: Definitions,
    relations: Relations,
    names: Iterable[TableName],
) -> Verdict:
    """Return the verdict on a plan for `question`, the block to be answered, from the cache or newly computed.

    `original` is the SQL of the block, `plan` the SQL of the plan. `definitions` has all views, `relations` the tables
    and views by name, and `names` the names of all relations on which the verdict may depend. The plan is parsed
    without temporary views, because its table names are fully qualified.
    """
    known = _KNOWN.setdefault(definitions, {})
    facts = tuple((name, _facts(relations.get(name))) for name in sorted({*names}))
    key = (original, plan, session.catalog, session.namespace, mode_of(session))
    found = known.get(key)
    if found is None or found[0] != facts:
        catalogs = session.catalogs | {name.catalog for name in names}
        anywhere = replace(session, catalogs=frozenset(catalogs), temporary_views=frozenset())
        if len(known) >= MOST:
            del known[next(iter(known))]
        leaves = Leaves(question, definitions, relations, session.time_zone)
        found = known[key] = facts, _verdict(question, plan, anywhere, leaves)
    return found[1]


def _verdict(question: Block, plan: str, session: Session, leaves: Leaves) -> Verdict:
    try:
        return verify(question, plan, session, leaves)
    except RecursionError:
        return Verdict(UNDECIDED, "the rewritten query is nested too deeply")


def _facts(relation: object) -> object:
    """Return the properties of a table on which a verdict depends: columns, keys, and bounds of the rows.

    Return other relations unchanged.
    """
    if not isinstance(relation, Table):
        return relation
    keys = relation.primary_key, relation.foreign_keys
    whole = relation.as_refreshed
    return relation.columns, keys, relation.only, whole.only, relation.least, relation.ranges
