"""Binds the system's GSSAPI library by ctypes: eight functions for a server, and a ninth for a client.

Python packages that bind the GSSAPI library cannot be installed without a compiler and Kerberos's header files.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

_LIBRARY = "libgssapi_krb5.so.2"
_INITIATE, _ACCEPT, _CONTINUE = 1, 2, 1
_MUTUAL, _REPLAY, _SEQUENCE, _INTEGRITY = 2, 4, 8, 32  # flags that a client requests for a context
_ERRORS = 0xFFFF0000  # the bits of a major status that mean an error
_BY_GSSAPI, _BY_MECHANISM = 1, 2


class GssError(Exception):
    """The error raised if a GSSAPI function fails (with the library's message), or if the library cannot be loaded."""


class _Buffer(ctypes.Structure):
    _fields_ = (("length", ctypes.c_size_t), ("value", ctypes.c_void_p))

    @classmethod
    def of(cls, data: bytes) -> _Buffer:
        return cls(len(data), ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p))


class _KeyValue(ctypes.Structure):
    _fields_ = (("key", ctypes.c_char_p), ("value", ctypes.c_char_p))


class _KeyValues(ctypes.Structure):
    _fields_ = (("count", ctypes.c_uint32), ("elements", ctypes.POINTER(_KeyValue)))


class Library:
    """The functions of the system's GSSAPI library; a failing call raises GssError with the library's message."""

    def __init__(self) -> None:
        try:
            self._functions = ctypes.CDLL(ctypes.util.find_library("gssapi_krb5") or _LIBRARY)
        except OSError as error:
            raise GssError(
                f"the GSSAPI library of MIT Kerberos cannot be loaded ({error}): install the library, for example the "
                "Debian package libgssapi-krb5-2"
            ) from error

    def call(self, name: str, *arguments: Any) -> int:
        """Call a GSSAPI function with all its arguments except the minor status, and return the major status.

        Raise GssError if the major status is an error.
        """
        minor = ctypes.c_uint32()
        major = self._status(name, minor, arguments)
        if major & _ERRORS:
            raise GssError(self._said(major, minor.value))
        return major

    def taken(self, name: str, give: Callable[[Any], tuple[Any, ...]]) -> bytes:
        """Call a GSSAPI function that fills an output buffer, and return the bytes in that buffer.

        `give` takes a pointer to the buffer, and returns the arguments of the call.
        """
        buffer = _Buffer()
        try:
            self.call(name, *give(ctypes.byref(buffer)))
            return ctypes.string_at(buffer.value, buffer.length) if buffer.length else b""
        finally:
            self.release("buffer", buffer)

    def release(self, kind: str, what: Any) -> None:
        """Release the object `what`, which the library allocated; `kind` is the object's type: buffer, name or cred."""
        self._status(f"gss_release_{kind}", ctypes.c_uint32(), (ctypes.byref(what),))

    def principal_names(self) -> ctypes.c_void_p:
        """Return the GSSAPI name type (an object identifier) of Kerberos principals."""
        return ctypes.c_void_p.in_dll(self._functions, "GSS_KRB5_NT_PRINCIPAL_NAME")

    def name(self, principal: str) -> ctypes.c_void_p:
        """Return a principal as a GSSAPI name, which the caller must release."""
        name, written = ctypes.c_void_p(), _Buffer.of(principal.encode())
        self.call("gss_import_name", ctypes.byref(written), self.principal_names(), ctypes.byref(name))
        return name

    def credentials(self, usage: int, principal: str, store: Mapping[str, str]) -> ctypes.c_void_p:
        """Acquire credentials from a credential store, and return a handle that the caller must release.

        `principal` selects the key of this principal; empty selects any key. `usage` is _INITIATE (client) or _ACCEPT
        (server). `store` has the paths of the store's files by kind, such as `keytab`.
        """
        name = self.name(principal) if principal else ctypes.c_void_p()
        entries = (_KeyValue * len(store))(*(_KeyValue(key.encode(), value.encode()) for key, value in store.items()))
        values, found = _KeyValues(len(store), entries), ctypes.c_void_p()
        try:
            arguments = (name, ctypes.c_uint32(0), None, usage, ctypes.byref(values), ctypes.byref(found), None, None)
            self.call("gss_acquire_cred_from", *arguments)
        finally:
            if name:
                self.release("name", name)
        return found

    def _status(self, name: str, minor: ctypes.c_uint32, arguments: tuple[Any, ...]) -> int:
        function = self._functions[name]
        function.restype = ctypes.c_uint32
        status: int = function(ctypes.byref(minor), *arguments)
        return status

    def _said(self, major: int, minor: int) -> str:
        general = self._message(major, _BY_GSSAPI)
        return f"{general}: {self._message(minor, _BY_MECHANISM)}" if minor else general

    def _message(self, status: int, kind: int) -> str:
        more, buffer = ctypes.c_uint32(), _Buffer()
        arguments = (ctypes.c_uint32(status), kind, None, ctypes.byref(more), ctypes.byref(buffer))
        self._status("gss_display_status", ctypes.c_uint32(), arguments)
        text = ctypes.string_at(buffer.value, buffer.length) if buffer.length else b""
        self.release("buffer", buffer)
        return text.decode("utf-8", "replace")


class Acceptor:
    """The keys of a Kerberos service, which verify the tickets of the service's clients.

    The keys are read from a keytab file: all keys, or only the keys of `principal` if `principal` is not empty.
    """

    def __init__(self, keytab: Path, principal: str = "") -> None:
        self.library = Library()
        self.credentials = self.library.credentials(_ACCEPT, principal, {"keytab": str(keytab.resolve())})


class Initiator:
    """The credentials of a client from a keytab file, for `principal` (empty: the first principal in the file).

    Tickets are kept in memory and renewed before they expire. The constructor raises GssError if the file has no key
    for `principal`.
    """

    def __init__(self, keytab: Path, principal: str = "") -> None:
        self.library = Acceptor(keytab, principal).library  # checks the file without asking a Key Distribution Center
        self._principal = principal
        file = str(keytab.resolve())
        mark = sha256(f"{file} {principal}".encode()).hexdigest()[:16]
        self._store = {"client_keytab": file, "ccache": f"MEMORY:viewgate-{mark}"}

    def credentials(self) -> ctypes.c_void_p:
        """Acquire the client's credentials, and return a handle that the caller must release.

        The call may block on a Key Distribution Center.
        """
        return self.library.credentials(_INITIATE, self._principal, self._store)


class _Secured:
    """The base class of the client's and the server's side of a GSSAPI login: it exchanges the login tokens, and
    wraps and unwraps messages.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._context = ctypes.c_void_p()
        self.complete = False

    def wrap(self, data: bytes) -> bytes:
        """Return the bytes wrapped for the peer (gss_wrap): signed, but not encrypted."""
        said = _Buffer.of(data)
        return self._library.taken(
            "gss_wrap", lambda buffer: (self._context, 0, ctypes.c_uint32(0), ctypes.byref(said), None, buffer)
        )

    def unwrap(self, data: bytes) -> bytes:
        """Return the content of a message that the peer has wrapped; raise GssError if the message's signature is
        wrong.
        """
        said = _Buffer.of(data)
        return self._library.taken("gss_unwrap", lambda buffer: (self._context, ctypes.byref(said), buffer, None, None))

    def _step(self, function: str, arguments: Callable[[Any], tuple[Any, ...]]) -> bytes:
        """Call the GSSAPI function of the next login step, and return the token for the peer, which may be empty.

        `arguments` takes a pointer to the buffer for the token, and returns the arguments of the call. After the last
        step of the login, `complete` is True.
        """
        answer = _Buffer()
        try:
            self.complete = not self._library.call(function, *arguments(ctypes.byref(answer))) & _CONTINUE
            return ctypes.string_at(answer.value, answer.length) if answer.length else b""
        finally:
            self._library.release("buffer", answer)

    def __del__(self) -> None:
        if self._context:
            self._library.call("gss_delete_sec_context", ctypes.byref(self._context), None)


class ClientContext(_Secured):
    """The client's side of one GSSAPI login to a service."""

    def __init__(self, initiator: Initiator, service: str) -> None:
        super().__init__(initiator.library)
        self._initiator, self._service = initiator, service

    def step(self, token: bytes) -> bytes:
        """Return the client's next token; `token` is the server's last token (empty at first).

        The call may block on a Key Distribution Center. Raise GssError if the login fails.
        """
        said, flags = _Buffer.of(token), ctypes.c_uint32(_MUTUAL | _REPLAY | _SEQUENCE | _INTEGRITY)
        credentials, service = self._initiator.credentials(), self._library.name(self._service)
        context, any_time = ctypes.byref(self._context), ctypes.c_uint32(0)
        try:
            return self._step(
                "gss_init_sec_context",
                lambda answer: (
                    *(credentials, context, service, None, flags, any_time, None, ctypes.byref(said)),
                    *(None, answer, None, None),
                ),
            )
        finally:
            self._library.release("name", service)
            self._library.release("cred", credentials)


class Context(_Secured):
    """The server's side of one client's GSSAPI login."""

    def __init__(self, acceptor: Acceptor) -> None:
        super().__init__(acceptor.library)
        self._acceptor = acceptor
        self._client = ctypes.c_void_p()

    def accept(self, token: bytes) -> bytes:
        """Accept the client's token, and return the token for the reply, which may be empty; raise GssError
        on failure.
        """
        said = _Buffer.of(token)
        return self._step(
            "gss_accept_sec_context",
            lambda answer: (
                *(ctypes.byref(self._context), self._acceptor.credentials, ctypes.byref(said), None),
                *(ctypes.byref(self._client), None, answer, None, None, None),
            ),
        )

    def user(self) -> str:
        """Return the client's local user name, mapped by `auth_to_local` of the system's krb5.conf."""
        return self._library.taken("gss_localname", lambda buffer: (self._client, None, buffer)).decode()

    def __del__(self) -> None:
        if self._client:
            self._library.release("name", self._client)
        super().__del__()
