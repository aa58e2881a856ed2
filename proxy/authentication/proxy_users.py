"""Impersonation: the users for whom a tool that logs in as itself may open sessions."""

from __future__ import annotations

from collections.abc import Mapping

from proxy.hs2 import SqlError

ANYBODY = "*"


class ProxyUsers:
    """By principal, the users that it may act for.

    >>> allowed = ProxyUsers({"superset": frozenset({"ann", "bob"})})
    >>> allowed.acting("superset", "ann"), allowed.acting("eve", "")
    ('ann', 'eve')
    >>> allowed.acting("eve", "ann")
    Traceback (most recent call last):
    proxy.hs2.status.SqlError: eve may not act for ann: an administrator can allow it in [authentication.proxy_users]
    """

    def __init__(self, allowed: Mapping[str, frozenset[str]] | None = None) -> None:
        self._allowed = allowed or {}

    def acting(self, principal: str, wanted: str) -> str:
        """Return the user of a session that a principal opens, for another user if one is named."""
        if wanted in ("", principal):
            return principal
        if not self._allowed.get(principal, frozenset()) & {wanted, ANYBODY}:
            raise SqlError(
                f"{principal} may not act for {wanted}: an administrator can allow it in [authentication.proxy_users]",
                "28000",
            )
        return wanted
