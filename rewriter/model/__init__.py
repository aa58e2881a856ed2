"""The rewriter's value types: tables, views, names, sessions; immutable, compared by content, without I/O."""

from rewriter.model.changes import Change, ChangeKind
from rewriter.model.constraints import ConstraintError, ForeignKey
from rewriter.model.declared import Declared
from rewriter.model.names import TableName, quoted, split_name, ticked, unticked
from rewriter.model.partitions import DataFile, Files, PartitionField, SortField, Value
from rewriter.model.session import Session
from rewriter.model.tables import (
    KEPT_AS,
    ChildView,
    Column,
    RefreshState,
    Relation,
    Snapshot,
    SourceState,
    Table,
    ViewState,
    kept_as,
    table_columns,
)
from rewriter.model.views import STORAGE_SUFFIX, MaterializedView, PlainView, storage_name

__all__ = [
    "KEPT_AS",
    "STORAGE_SUFFIX",
    "Change",
    "ChangeKind",
    "ChildView",
    "Column",
    "ConstraintError",
    "DataFile",
    "Declared",
    "Files",
    "ForeignKey",
    "MaterializedView",
    "PartitionField",
    "PlainView",
    "RefreshState",
    "Relation",
    "Session",
    "Snapshot",
    "SortField",
    "SourceState",
    "Table",
    "TableName",
    "Value",
    "ViewState",
    "kept_as",
    "quoted",
    "split_name",
    "storage_name",
    "table_columns",
    "ticked",
    "unticked",
]
