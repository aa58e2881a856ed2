"""Names the catalog in an error of Spark's about a catalog whose server does not answer Spark.

Iceberg in Spark reports such a failure without the catalog's name, as `RESTException: Error occurred while processing
GET request`, and Spark adds no SQLSTATE. Spark loads the current catalog of a new session at the first statement that
needs the catalog, also at `USE`, even if the namespace is one of another catalog.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NoReturn

from proxy.catalog.catalog import Catalog
from proxy.hs2 import SqlError
from proxy.hs2.status import first_message, root_message

_UNANSWERED = re.compile(r"\borg\.apache\.iceberg\.exceptions\.(?:REST|ServiceUnavailable|ServiceFailure)Exception\b")
_NO_CONNECTION = "08001"


class NoCurrentCatalog(SqlError):
    """The error raised if Spark cannot load the current catalog of a session, so that names cannot be resolved."""


def told(error: SqlError, catalogs: Iterable[Catalog], *, entering: bool = False) -> SqlError:
    """Return an error of Spark's about a REST catalog that does not answer with the catalog's name, and with SQLSTATE
    08001; return any other error unchanged.

    The name is that of the unavailable one of `catalogs`, if Viewgate knows of an outage. If the statement enters a
    namespace (`entering`), the message says how to use another catalog meanwhile.
    """
    if not is_unanswered(error):
        return error
    known = list(catalogs)
    down = [catalog.name for catalog in known if not catalog.available]
    whose = f"the catalog {' or '.join(down)}" if down else "a catalog that the statement needs"
    message = f"Spark gets no answer from {whose} ({_cause(error)}): check the catalog's server, and try again"
    return SqlError(message + (_others(known) if entering else ""), _NO_CONNECTION)


def raise_told(error: SqlError, catalogs: Iterable[Catalog]) -> NoReturn:
    """Raise what `told` returns for an error."""
    if (found := told(error, catalogs)) is error:
        raise error
    raise found from error


def no_current_catalog(error: SqlError, current: str, catalogs: Iterable[Catalog]) -> SqlError:
    """Return NoCurrentCatalog if an error of Spark's says that the session's current catalog, whose name is `current`,
    does not answer; return any other error unchanged.
    """
    if not is_unanswered(error):
        return error
    return NoCurrentCatalog(
        f"Spark cannot load the catalog {current}, which is current in the session ({_cause(error)}): check the "
        f"catalog's server, and try again{_others(catalog for catalog in catalogs if catalog.name != current)}",
        _NO_CONNECTION,
    )


def is_unanswered(error: SqlError) -> bool:
    """Return whether Spark reports that a REST catalog has failed or does not answer.

    >>> is_unanswered(SqlError("Error running query: org.apache.iceberg.exceptions.RESTException: no", None))
    True
    """
    return not error.sql_state and _UNANSWERED.search(first_message(error.message)) is not None


def _cause(error: SqlError) -> str:
    """Return the innermost cause in the text of Spark's error on one line; Iceberg's message without a stack trace."""
    text = root_message(error.message)
    if (iceberg := _UNANSWERED.search(text)) is not None:
        text = text[iceberg.end() :].removeprefix(": ")
    return " ".join(text.split())


def _others(catalogs: Iterable[Catalog]) -> str:
    """Return how to use another catalog that is available, as the end of a message; empty if there is none."""
    other = next((catalog.name for catalog in catalogs if catalog.available), None)
    if other is None:
        return ""
    return (
        f"; to use the catalog {other} meanwhile, run SET spark.sql.defaultCatalog = {other}, or open a session with "
        f"?spark.sql.defaultCatalog={other} at the end of its URL"
    )
