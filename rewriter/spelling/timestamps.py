"""Rewrites the type TIMESTAMP in a parsed query to the type that it means in a session.

With `spark.sql.timestampType = TIMESTAMP_NTZ`, the keyword TIMESTAMP in a literal or CAST, and functions such as
to_timestamp(), mean TIMESTAMP_NTZ; TIMESTAMP_LTZ and the current time stay TIMESTAMP.
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from rewriter.functions.dates import OF_TIMESTAMP_TYPE
from rewriter.model import Session
from rewriter.model.settings import READABLE, TIMESTAMP_TYPE
from rewriter.sql import SelectBlock, Statement
from rewriter.timeseries import read_moment

Tree = exp.Expr
_TYPE = exp.DataType.Type
_TIMESTAMP = exp.DataType.build("timestamp", dialect="spark")
_NTZ = exp.DataType.build("timestamp_ntz", dialect="spark")


def means_ntz(session: Session) -> bool:
    """Return whether the keyword TIMESTAMP means TIMESTAMP_NTZ in a session."""
    default = READABLE[TIMESTAMP_TYPE]
    return session.settings.get(TIMESTAMP_TYPE, session.defaults.get(TIMESTAMP_TYPE, default)).upper() != default


def as_meant(tree: Tree, session: Session) -> Tree:
    """Return a tree in which each cast to a timestamp names the type that the cast has in the session.

    TIMESTAMP_LTZ becomes TIMESTAMP; if the session's setting says so, TIMESTAMP becomes TIMESTAMP_NTZ, and a call of a
    function such as to_timestamp() becomes a NULL of type TIMESTAMP_NTZ, because only types are read from the tree.
    """
    ntz = means_ntz(session)

    def meant(node: Tree) -> Tree:
        if ntz and isinstance(node, exp.Anonymous) and node.name.lower() in OF_TIMESTAMP_TYPE:
            return exp.TryCast(this=exp.Null(), to=_NTZ.copy())
        if isinstance(node, exp.Cast) and node.to.this is _TYPE.TIMESTAMPLTZ:
            return _cast(node, _TIMESTAMP)
        if isinstance(node, exp.Cast) and ntz and node.to.this is _TYPE.TIMESTAMPTZ:
            return _literal(node) if type(node) is exp.Cast and node.this.is_string else _cast(node, _NTZ)
        return node

    return tree.transform(meant)


def statement_as_meant(statement: Statement) -> Statement:
    """Return a statement in whose trees each cast to a timestamp names the type that it has in the statement's session.

    The statement's text stays unchanged.
    """
    if not means_ntz(statement.session) and "ltz" not in statement.sql.lower():
        return statement

    def meant(block: SelectBlock) -> SelectBlock:
        tree = as_meant(block.tree, statement.session) if block.tree is not None else None
        return replace(block, tree=tree) if isinstance(tree, exp.Select) else block

    common = tuple(replace(table, block=meant(table.block)) for table in statement.common)
    return replace(statement, blocks=tuple(map(meant, statement.blocks)), common=common)


def _cast(node: exp.Cast, kind: exp.DataType) -> exp.Cast:
    return type(node)(this=node.this, to=kind.copy(), safe=node.args.get("safe"))


def _literal(node: exp.Cast) -> Tree:
    """Return a literal, such as `TIMESTAMP '2024-01-01'`, with the type TIMESTAMP_NTZ.

    Return a literal with a time zone unchanged: it is a TIMESTAMP whatever spark.sql.timestampType says. Return a
    placeholder, whose type is unknown, for a literal in an unknown form.
    """
    text = node.this.name
    if read_moment(text, None) is not None:
        return _cast(node, _NTZ)
    return node if read_moment(text, "UTC") is not None else exp.Placeholder()
