"""Removes the values of credentials from statements before these are logged, listed or stored."""

from __future__ import annotations

import re

HIDDEN = "***"
_NAMES = r"(?:password|passwd|secret|token|credentials?|access[._-]?key|account[._-]?key|sas[._-]token)"
_SECRET = re.compile(_NAMES, re.IGNORECASE)
# Parts of these names, to look for first: the expression takes 50 µs for a statement of 250 characters.
_PARTS = ("passw", "secret", "token", "credential", "key")
# A name that has one of these in it (fs.s3a.secret.key), and its value: 'a' = 'b', a=b, a 'b'.
_VALUE = re.compile(
    rf"""({_NAMES}[\w.-]*['"`]?\s*(?:=>|=|:|(?=['"]))\s*)('(?:[^'\\]|\\.|'')*'?|"(?:[^"\\]|\\.|"")*"?|[^\s,;&)]+)""",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"""'[^']*'?|"[^"]*"?|(?<![\w`])\d[\w.]*""")
_IN_URL = re.compile(r"(://[^/@:\s]*:)[^/@\s]+@")


def is_secret(name: str) -> bool:
    """Return whether the value of a setting of that name is a credential.

    >>> [is_secret(name) for name in ("s3.secret-access-key", "bind_password", "fs.s3a.access.key", "keytab", "uri")]
    [True, True, True, False, False]
    """
    return _SECRET.search(name) is not None


def without_credentials(text: str) -> str:
    """Return a statement or a URL with the values of credentials hidden.

    >>> without_credentials("SET fs.s3a.secret.key=abc")
    'SET fs.s3a.secret.key=***'
    >>> without_credentials("CREATE TABLE t USING jdbc OPTIONS ('password' = 'x''y', user 'ann')")
    "CREATE TABLE t USING jdbc OPTIONS ('password' = ***, user 'ann')"
    >>> without_credentials("postgresql://ann:secret@db/x"), without_credentials("SELECT token, secrets FROM t")
    ('postgresql://ann:***@db/x', 'SELECT token, secrets FROM t')
    """
    if "://" in text:
        text = _IN_URL.sub(rf"\1{HIDDEN}@", text)
    lower = text.lower()
    return _VALUE.sub(rf"\1{HIDDEN}", text) if any(part in lower for part in _PARTS) else text


def without_values(message: str) -> str:
    r"""Return the first line of an error with `?` in the place of quoted texts and numbers: it may quote a statement.

    >>> without_values("[CAST_INVALID_INPUT] The value 'Ann' of `name` is 17\n== SQL ==\nSELECT 'Ann'")
    '[CAST_INVALID_INPUT] The value ? of `name` is ?'
    """
    return _QUOTED.sub("?", message.split("\n", 1)[0])
