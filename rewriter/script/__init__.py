"""The rewriter without a server: tables and materialized views from a SQL script, with all views assumed to be fresh.

    workspace = read_script("CREATE TABLE …; CREATE MATERIALIZED VIEW … AS SELECT …;")
    explanation = workspace.explain("SELECT …")
    explanation.sql, explanation.storage, explanation.as_json()

Constraints that the script declares are trusted. Names and types of result columns are derived by `rewriter.schema`; a
query for which they are uncertain is not rewritten.
"""

from rewriter.script.cursor import ScriptError
from rewriter.script.explanation import Explanation
from rewriter.script.partitioning import layout_problem
from rewriter.script.workspace import Workspace, read_script

__all__ = ["Explanation", "ScriptError", "Workspace", "layout_problem", "read_script"]
