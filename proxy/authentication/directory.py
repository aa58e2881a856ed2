"""Checks passwords by logging in to an LDAP directory as the user (LDAP bind)."""

from __future__ import annotations

import ssl
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # of pyasn1, which ldap3 imports
    import ldap3
    from ldap3.core.exceptions import LDAPBindError, LDAPException, LDAPInvalidCredentialsResult, LDAPSASLPrepError
    from ldap3.utils.conv import escape_filter_chars
    from ldap3.utils.dn import escape_rdn


class DirectoryDown(Exception):
    """The error raised if the LDAP directory cannot be reached, replies with an error, or refuses the login of
    `bind_dn`.
    """


@dataclass(frozen=True)
class Directory:
    """An LDAP directory, and the rule by which a user's entry is found in the directory.

    - `user_dn`: the pattern of the entry's name, such as `uid={user},ou=people,dc=example,dc=org`; if the pattern is
      empty, the entry is searched for
    - `base`, `filter`: the entry below which the search runs, and the condition of the search, such as
      `(&(uid={user})(memberOf=cn=bi,dc=example,dc=org))`
    - `bind_dn`, `bind_password`: the login for the search; without `bind_dn`, the search is anonymous
    - `start_tls`: true if the connection begins without TLS and changes to TLS before the login
    - `ca_file`: the trusted certificate authorities; None for those that this machine trusts
    - `timeout`: the limit for the connection and for each reply, in seconds
    """

    url: str
    user_dn: str = ""
    base: str = ""
    filter: str = "(uid={user})"
    bind_dn: str = ""
    bind_password: str = field(default="", repr=False)
    start_tls: bool = False
    ca_file: Path | None = None
    timeout: int = 10

    def version(self, user: str) -> str:
        """Return an empty text, because an LDAP directory does not show when a password changes."""
        return ""

    def check(self, user: str, password: str) -> bool:
        """Return whether the directory accepts the user's password; False for an unknown user or an empty password.

        Raise DirectoryDown if the directory cannot be reached, replies with an error, or refuses the login of
        `bind_dn`.
        """
        if not user or not password:
            return False  # a directory accepts an empty password as an anonymous login
        try:
            name = self.user_dn.format(user=escape_rdn(user)) if self.user_dn else self._found(user)
            return name is not None and self._lets_in(name, password)
        except LDAPException as error:
            raise DirectoryDown(
                f"the LDAP server {self.url} failed: {error}; check url, bind_dn and TLS in [authentication.ldap]"
            ) from error

    def _found(self, user: str) -> str | None:
        """Return the name of the entry that the search finds for a user; None if the search finds no entry or several
        entries.

        Raise DirectoryDown if the directory refuses the login of `bind_dn`.
        """
        with self._connection(self.bind_dn, self.bind_password) as connection:
            if not connection.bind():
                raise DirectoryDown(
                    f"the LDAP server {self.url} refuses bind_dn: {connection.result['description']}; check "
                    "bind_dn and "
                    "bind_password in [authentication.ldap]"
                )
            wanted = self.filter.format(user=escape_filter_chars(user))
            connection.search(self.base, wanted, attributes=[], size_limit=2)
            entries = [entry["dn"] for entry in connection.response or () if entry["type"] == "searchResEntry"]
            return entries[0] if len(entries) == 1 else None

    def _lets_in(self, name: str, password: str) -> bool:
        with self._connection(name, password) as connection:
            try:
                return bool(connection.bind())
            # LDAPSASLPrepError: the password has characters that LDAP does not allow
            except (LDAPBindError, LDAPInvalidCredentialsResult, LDAPSASLPrepError):
                return False

    @contextmanager
    def _connection(self, name: str, password: str) -> Iterator[Any]:
        tls = ldap3.Tls(validate=ssl.CERT_REQUIRED, ca_certs_file=str(self.ca_file) if self.ca_file else None)
        server = ldap3.Server(self.url, tls=tls, connect_timeout=self.timeout, get_info=ldap3.NONE)
        connection = ldap3.Connection(
            server,
            name or None,
            password or None,
            receive_timeout=self.timeout,
            # otherwise ldap3 would log in to any server that an answer names, with the user's password
            auto_referrals=False,
        )
        try:
            if self.start_tls:
                connection.open()
                connection.start_tls()
            yield connection
        finally:
            connection.unbind()
            if connection.socket is not None:  # ldap3 leaves it open after a failed handshake
                connection.socket.close()
