"""The kinds of statements that are counted apart."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from proxy.statements import classify


class Kind(StrEnum):
    """What a statement does, as far as its words tell."""

    QUERY = "query"
    WRITE = "write"
    DEFINITION = "definition"
    SESSION = "session"
    METADATA = "metadata"
    OTHER = "other"


_VERBS: Mapping[Kind, str] = {
    Kind.WRITE: "INSERT UPDATE DELETE MERGE TRUNCATE LOAD CALL COPY",
    Kind.DEFINITION: "CREATE ALTER DROP REPLACE COMMENT REFRESH MSCK REPAIR ANALYZE GRANT REVOKE UNDROP",
    Kind.SESSION: "SET RESET USE ADD DECLARE CACHE UNCACHE CLEAR",
    Kind.METADATA: "SHOW DESCRIBE DESC EXPLAIN LIST",
}
_KINDS = {verb: kind for kind, verbs in _VERBS.items() for verb in verbs.split()}


def kind_of(sql: str) -> Kind:
    r"""Return the kind of a statement.

    >>> [str(kind_of(sql)) for sql in ("/* a */ (select 1)", "merge INTO t", "-- x\nUSE demo", "KILL VIEWGATE", "")]
    ['query', 'write', 'session', 'other', 'other']
    >>> str(kind_of("WITH s AS (SELECT 1) INSERT INTO t SELECT * FROM s"))
    'write'
    """
    info = classify(sql)
    if info.query:
        return Kind.QUERY if info.writes is None else Kind.WRITE
    return _KINDS.get(info.verb, Kind.OTHER)
