"""FetchResults: rows as bytes from Spark or from a result at hand; the log from here in either case."""

from __future__ import annotations

from proxy.hs2.generated import ttypes
from proxy.service.call import Call

_LOG = 1


async def fetch_results(call: Call) -> bytes:
    """The next rows, or the next lines of the log."""
    operation = call.operation()
    request = call.request(ttypes.TFetchResultsReq)
    if request.fetchType == _LOG:
        return operation.fetch_log(call, request)
    return await operation.fetch(call)
