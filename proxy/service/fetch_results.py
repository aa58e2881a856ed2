"""FetchResults: rows as bytes from Spark or from a result at hand; the log from here in either case."""

from __future__ import annotations

from proxy.hs2 import SqlError, read_request
from proxy.hs2.generated import ttypes
from proxy.service.call import Call
from proxy.wire import kept

_LOG = 1
_ORIENTATIONS = range(6)


async def fetch_results(call: Call) -> bytes:
    """The next rows, or the next lines of the log."""
    operation = call.operation()
    if _of_log(call.message):
        return operation.fetch_log(call, call.request(ttypes.TFetchResultsReq))
    reply = await operation.fetch(call)
    call.service.journal.fetched(operation, reply)
    return reply


@kept
def _of_log(message: bytes) -> bool:
    request = read_request(message, ttypes.TFetchResultsReq)
    if request.orientation not in _ORIENTATIONS:  # Spark would close the connection, and its session with it
        raise SqlError(f"There is no fetch orientation {request.orientation}; there are 0 to 5", "HY106")
    return bool(request.fetchType == _LOG)
