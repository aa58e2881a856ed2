"""GetFunctions: Spark's, with the one wildcard that Spark reads wrongly spelled as it understands it."""

from __future__ import annotations

import re

from proxy.hs2.generated import ttypes
from proxy.service.call import Call
from proxy.service.metadata import relay_metadata
from proxy.wire import with_field
from proxy.wire.layout import STRING

_FUNCTION_NAME = (1, 4)


async def get_functions(call: Call) -> bytes:
    """Return the functions that fit a pattern."""
    pattern = call.request(ttypes.TGetFunctionsReq).functionName
    message = call.message
    if pattern and "%" in pattern:
        message = with_field(message, _FUNCTION_NAME, STRING, hives(pattern).encode())
    return await relay_metadata(call, message)


def hives(pattern: str) -> str:
    r"""Return a pattern of JDBC with Hive's wildcard: to Spark, `%` stands for one character or more.

    >>> print(hives(r"abs%"), hives(r"a\%"))
    abs* a\%
    """
    return re.sub(r"(\\.)|%", lambda found: found[1] or "*", pattern)
