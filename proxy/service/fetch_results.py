"""FetchResults: rows as bytes from Spark or from a result at hand; the log from here in either case."""

from __future__ import annotations

from proxy.hs2 import read_request
from proxy.hs2.generated import ttypes
from proxy.service.call import Call
from proxy.wire import kept

_LOG = 1


async def fetch_results(call: Call) -> bytes:
    """The next rows, or the next lines of the log."""
    operation = call.operation()
    if _of_log(call.message):
        return operation.fetch_log(call, call.request(ttypes.TFetchResultsReq))
    return await operation.fetch(call)


@kept
def _of_log(message: bytes) -> bool:
    return bool(read_request(message, ttypes.TFetchResultsReq).fetchType == _LOG)
