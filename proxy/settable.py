"""What the tables of the configuration may hold: a value of another kind, or under another name, is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Kind:
    """What a value may be."""

    allowed: str
    accepts: Callable[[Any], bool]


TEXT = Kind("a text that is not empty", lambda value: isinstance(value, str) and value != "")
ANY_TEXT = Kind("a text", lambda value: isinstance(value, str))
PORT = Kind("a whole number from 1 to 65535", lambda value: type(value) is int and 1 <= value <= 65535)
LISTEN_PORT = Kind(
    "a whole number from 0 (any free port) to 65535", lambda value: type(value) is int and 0 <= value <= 65535
)
SCALAR = Kind("a text, a number or a truth value", lambda value: isinstance(value, str | int | float))
SCALARS = Kind(
    "a table of texts, numbers and truth values",
    lambda value: isinstance(value, dict) and all(SCALAR.accepts(each) for each in value.values()),
)
TRUTH = Kind("true or false", lambda value: isinstance(value, bool))
SECONDS = Kind("a number of seconds over 0", lambda value: type(value) in (int, float) and value > 0)
SHARE = Kind("a number over 0", lambda value: type(value) in (int, float) and value > 0)
WORKERS = Kind("a whole number from 1 to 64", lambda value: type(value) is int and 1 <= value <= 64)
COUNT = Kind("a whole number, 1 or more", lambda value: type(value) is int and value >= 1)
BYTES = Kind("a whole number of bytes, 65536 or more", lambda value: type(value) is int and value >= 65536)
DEPTH = Kind(
    "a whole number from 9, as deep as the protocol nests, to 32", lambda value: type(value) is int and 9 <= value <= 32
)
TABLE = Kind("a table", lambda value: isinstance(value, dict))
TEXTS = Kind(
    "a list of texts", lambda value: isinstance(value, list) and all(isinstance(each, str) and each for each in value)
)

# The keys whose values are paths, by their tables.
PATHS: Mapping[str, tuple[str, ...]] = {
    "server.tls": ("certificate", "key"),
    "authentication": ("passwords",),
    "authentication.ldap": ("ca_file",),
    "authentication.kerberos": ("keytab",),
    "authentication.jwt": ("keys",),
    "embedded": ("data",),
    "journal": ("file",),
}

# What each table of the file may hold; "*" stands for any other key. A table in a table has both names, with a dot.
TABLES: Mapping[str, Mapping[str, Kind]] = {
    "server": {"host": TEXT, "port": LISTEN_PORT, "workers": WORKERS, "ports": TABLE, "tls": TABLE},
    "server.ports": dict.fromkeys(("sasl", "nosasl", "http"), PORT),
    "server.tls": {"certificate": TEXT, "key": TEXT, "required": TRUTH},
    "console": {"host": TEXT, "port": LISTEN_PORT, "enabled": TRUTH},
    "journal": {"file": TEXT, "literals": TRUTH},
    "authentication": {
        "passwords": TEXT,
        "ldap": TABLE,
        "jwt": TABLE,
        "kerberos": TABLE,
        "proxy_users": TABLE,
        "operators": TEXTS,
    },
    "authentication.ldap": {
        **dict.fromkeys(("url", "user_dn", "base", "filter", "bind_dn", "bind_password", "ca_file"), TEXT),
        "start_tls": TRUTH,
        "timeout": SECONDS,
    },
    "authentication.jwt": dict.fromkeys(("keys", "audience", "issuer", "claim"), TEXT),
    "authentication.kerberos": dict.fromkeys(("keytab", "principal"), TEXT),
    "authentication.proxy_users": {"*": TEXTS},
    "timeouts": dict.fromkeys(
        ("connect", "handshake", "open", "call", "work", "close", "health", "park", "catalog"), SECONDS
    ),
    "limits": {
        "message": BYTES,
        "string": BYTES,
        "container": COUNT,
        "nesting": DEPTH,
        "buffers": BYTES,
        **dict.fromkeys(("handshake", "idle", "grace", "close"), SECONDS),
    },
    "upstream": {
        "host": TEXT,
        "port": PORT,
        "user": TEXT,
        "password": ANY_TEXT,
        "weight": SHARE,
        "sessions": COUNT,
        "statements": COUNT,
        "draining": TRUTH,
    },
    "catalog": {"name": TEXT, "type": TEXT, "*": SCALAR},
    "pipeline": {"user": TEXT, "password": ANY_TEXT, "spark": SCALARS},
    "embedded": {"data": TEXT, "spark": SCALARS},
}
