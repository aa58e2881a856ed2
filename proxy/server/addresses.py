"""Addresses to listen on, of IPv4 or IPv6."""

from __future__ import annotations

import socket


def bound(host: str, port: int, *, shared: bool = False) -> socket.socket:
    """Return a socket that is bound to an address, and does not listen yet; `::` stands for IPv4, too.

    >>> with bound("127.0.0.1", 0) as place:
    ...     place.getsockname()[0]
    '127.0.0.1'
    """
    place = socket.socket(socket.AF_INET6 if is_ipv6(host) else socket.AF_INET)
    try:
        place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if is_ipv6(host):
            place.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, host != "::")
        place.bind((host, port))
    except BaseException:
        place.close()
        raise
    return place


def is_ipv6(host: str) -> bool:
    """Return whether a host is an address of IPv6.

    >>> is_ipv6("::"), is_ipv6("gate.example.org")
    (True, False)
    """
    return ":" in host
