"""Search patterns of the metadata calls: JDBC's, as HiveServer2 takes them."""

from __future__ import annotations

import re
from collections.abc import Callable

_WILD = {"%": ".*", "*": ".*", "_": "."}
_ANY_REGEX = ".*"
_TOKEN = re.compile(r"\\(.)|(.)", re.DOTALL)


def matcher(pattern: str | None) -> Callable[[str], bool]:
    r"""Whether a name fits: `%` (or Hive's `*`) for any text, `_` for one character, `\` before what stands for itself.

    Names are compared without case, as Spark does. No pattern, or an empty one, asks for nothing in particular, and so
    does the `.*` of impyla.

    >>> [matcher(pattern)("sales_2024") for pattern in (None, "", ".*", "SALES%", r"sales\_2024")]
    [True, True, True, True, True]
    >>> [matcher(pattern)("sales_2024") for pattern in (r"sales\%", "sales-2024")]
    [False, False]
    """
    if not pattern or pattern == _ANY_REGEX:
        return lambda name: True
    fits = re.compile("".join(map(_regex, _TOKEN.finditer(pattern))), re.IGNORECASE | re.DOTALL)
    return lambda name: fits.fullmatch(name) is not None


def is_exact(pattern: str | None) -> bool:
    r"""Whether a pattern can mean one name only.

    >>> [is_exact(pattern) for pattern in (None, ".*", "sales", "sales_2024", r"sales\_2024")]
    [False, False, True, False, True]
    """
    return bool(pattern) and all(token[2] not in _WILD for token in _TOKEN.finditer(pattern or ""))


def _regex(token: re.Match[str]) -> str:
    escaped, plain = token.groups()
    return re.escape(escaped) if escaped is not None else _WILD.get(plain) or re.escape(plain)
