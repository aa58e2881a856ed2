"""A cache of verdicts: each plan is verified once.

A verdict depends on the question, the plan's text, the definitions, and the columns and keys of the tables: not on
snapshots. So the plan of a dashboard's statement is verified when it is first made, and not after each refresh.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import replace
from weakref import WeakKeyDictionary

from rewriter.block import Block
from rewriter.index import Definitions
from rewriter.model import Session, Table, TableName
from rewriter.verify.leaves import Leaves, Relations
from rewriter.verify.verdict import UNDECIDED, Verdict, verify

# What a verdict depends on of each table. It is compared, not hashed: mostly it is the very same as before.
Facts = tuple[tuple[TableName, object], ...]

# Verdicts kept for one set of definitions; the oldest go first.
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
    """Return the verdict on a plan for a question; `original` is the question's text, `names` the relations.

    The plan names its tables in full, so no temporary view can stand for one of them.
    """
    known = _KNOWN.setdefault(definitions, {})
    facts = tuple((name, _facts(relations.get(name))) for name in sorted({*names}))
    key = (original, plan, session.catalog, session.namespace, session.time_zone)
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
        return Verdict(UNDECIDED, "the plan is nested too deeply")


def _facts(relation: object) -> object:
    """Return the properties of a table that a verdict depends on."""
    if not isinstance(relation, Table):
        return relation
    keys = relation.primary_key, relation.foreign_keys
    return relation.columns, keys, relation.only, relation.least, relation.ranges
