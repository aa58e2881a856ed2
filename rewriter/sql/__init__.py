"""Parses and prints SQL, and finds the SELECT blocks of a statement with their offsets in the text.

No other package parses SQL. A block is one SELECT. A statement's text is edited in place: only the replaced blocks are
printed from their trees, and everything else stays as typed. Functions keep their names and are never translated.
"""

from rewriter.sql.blocks import SelectSpan
from rewriter.sql.dialect import ParseError, excerpt, parse_select, render, tokenize
from rewriter.sql.expansion import Expanded, View, by_name, expand, from_storage, in_place
from rewriter.sql.expression import expression_sql
from rewriter.sql.hints import STALENESS, Hinted, hinted
from rewriter.sql.membership import Membership, membership_of
from rewriter.sql.outputs import output_names, with_outputs
from rewriter.sql.search import columns_in, every, holds, interval_of, names_called, nodes_of, operands, windows_in
from rewriter.sql.splice import Edit, splice, splice_within
from rewriter.sql.statement import (
    CommonTable,
    SelectBlock,
    Statement,
    from_items,
    is_shadowed,
    offering,
    parse,
    place_of,
    storage_statement,
    storage_tree,
)
from rewriter.sql.travel import AsOf, Travel, at_snapshots, reads_at_snapshots, travel
from rewriter.sql.writes import read_by

__all__ = [
    "STALENESS",
    "AsOf",
    "CommonTable",
    "Edit",
    "Expanded",
    "Hinted",
    "Membership",
    "ParseError",
    "SelectBlock",
    "SelectSpan",
    "Statement",
    "Travel",
    "View",
    "at_snapshots",
    "by_name",
    "columns_in",
    "every",
    "excerpt",
    "expand",
    "expression_sql",
    "from_items",
    "from_storage",
    "hinted",
    "holds",
    "in_place",
    "interval_of",
    "is_shadowed",
    "membership_of",
    "names_called",
    "nodes_of",
    "offering",
    "operands",
    "output_names",
    "parse",
    "parse_select",
    "place_of",
    "read_by",
    "reads_at_snapshots",
    "render",
    "splice",
    "splice_within",
    "storage_statement",
    "storage_tree",
    "tokenize",
    "travel",
    "windows_in",
    "with_outputs",
]
