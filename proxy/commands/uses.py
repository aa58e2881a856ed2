"""Which columns of its sources a view needs."""

from __future__ import annotations

from collections.abc import Iterable

from proxy.answering.tokens import scan
from rewriter.model import Column, MaterializedView

# Before these a star is a multiplication; after an opening parenthesis it is count's.
_EVERY_COLUMN_AFTER = frozenset({"SELECT", "DISTINCT", "ALL", ",", "."})


def uses(view: MaterializedView, columns: Iterable[Column]) -> frozenset[str]:
    """The names, in lower case, of those of a source's columns that a view may need: in doubt, it does."""
    needed: set[str] = set()
    everything = False
    for text in (view.query, view.storage_query):
        before = ""
        for token in scan(text):
            if before != "AS":  # what stands there is a new name, or a type
                needed.add(token.identifier.lower())
            everything |= token.keyword == "NATURAL" or (token.text == "*" and before in _EVERY_COLUMN_AFTER)
            before = token.keyword or token.text
    names = frozenset(column.name.lower() for column in columns)
    return names if everything else names & needed
