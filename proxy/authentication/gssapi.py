"""GSSAPI as the system has it, of which a server needs eight functions.

Bound here because no package with such a binding can be installed without a compiler and Kerberos's header files.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

_LIBRARY = "libgssapi_krb5.so.2"
_ACCEPT, _CONTINUE = 2, 1
_ERRORS = 0xFFFF0000  # the bits of a major status that say that something went wrong
_BY_GSSAPI, _BY_MECHANISM = 1, 2


class GssError(Exception):
    """An error that GSSAPI reports."""


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
    """The functions of the system's library; each call that fails raises what it says."""

    def __init__(self) -> None:
        try:
            self._functions = ctypes.CDLL(ctypes.util.find_library("gssapi_krb5") or _LIBRARY)
        except OSError as error:
            raise GssError(f"the GSSAPI library of MIT Kerberos is not there ({error})") from error

    def call(self, name: str, *arguments: Any) -> int:
        """Call a function by all its arguments but the minor status; its major status."""
        minor = ctypes.c_uint32()
        major = self._status(name, minor, arguments)
        if major & _ERRORS:
            raise GssError(self._said(major, minor.value))
        return major

    def taken(self, name: str, give: Callable[[Any], tuple[Any, ...]]) -> bytes:
        """Return the bytes that a function puts into a buffer, which is released."""
        buffer = _Buffer()
        try:
            self.call(name, *give(ctypes.byref(buffer)))
            return ctypes.string_at(buffer.value, buffer.length) if buffer.length else b""
        finally:
            self.release("buffer", buffer)

    def release(self, kind: str, what: Any) -> None:
        """Give back what the library has made."""
        self._status(f"gss_release_{kind}", ctypes.c_uint32(), (ctypes.byref(what),))

    def principal_names(self) -> ctypes.c_void_p:
        """Return the type of names that are written as Kerberos does."""
        return ctypes.c_void_p.in_dll(self._functions, "GSS_KRB5_NT_PRINCIPAL_NAME")

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
    """The keys of a service, by which the tickets of its clients are read: all of a file, or those of one principal."""

    def __init__(self, keytab: Path, principal: str = "") -> None:
        self.library = Library()
        self.credentials = ctypes.c_void_p()
        name = ctypes.c_void_p()
        if principal:
            written, kind = _Buffer.of(principal.encode()), self.library.principal_names()
            self.library.call("gss_import_name", ctypes.byref(written), kind, ctypes.byref(name))
        entry = _KeyValue(b"keytab", str(keytab.resolve()).encode())
        store = _KeyValues(1, ctypes.pointer(entry))
        arguments = (name, ctypes.c_uint32(0), None, _ACCEPT, ctypes.byref(store), ctypes.byref(self.credentials))
        try:
            self.library.call("gss_acquire_cred_from", *arguments, None, None)
        finally:
            if name:
                self.library.release("name", name)


class Context:
    """One client's login, from its first token on."""

    def __init__(self, acceptor: Acceptor) -> None:
        self._acceptor, self._library = acceptor, acceptor.library
        self._context, self._client = ctypes.c_void_p(), ctypes.c_void_p()
        self.complete = False

    def accept(self, token: bytes) -> bytes:
        """Read the client's token; what it is to be answered, if it is."""
        said, answer = _Buffer.of(token), _Buffer()
        arguments = (
            *(ctypes.byref(self._context), self._acceptor.credentials, ctypes.byref(said), None),
            *(ctypes.byref(self._client), None, ctypes.byref(answer), None, None, None),
        )
        try:
            self.complete = not self._library.call("gss_accept_sec_context", *arguments) & _CONTINUE
            return ctypes.string_at(answer.value, answer.length) if answer.length else b""
        finally:
            self._library.release("buffer", answer)

    def user(self) -> str:
        """Return the local name of the client, by `auth_to_local` of the system's Kerberos settings."""
        return self._library.taken("gss_localname", lambda buffer: (self._client, None, buffer)).decode()

    def wrap(self, data: bytes) -> bytes:
        """Return bytes wrapped for the client: signed, not encrypted."""
        said = _Buffer.of(data)
        return self._library.taken(
            "gss_wrap", lambda buffer: (self._context, 0, ctypes.c_uint32(0), ctypes.byref(said), None, buffer)
        )

    def unwrap(self, data: bytes) -> bytes:
        """Return the content of the client's wrapped message."""
        said = _Buffer.of(data)
        return self._library.taken("gss_unwrap", lambda buffer: (self._context, ctypes.byref(said), buffer, None, None))

    def __del__(self) -> None:
        if self._client:
            self._library.release("name", self._client)
        if self._context:
            self._library.call("gss_delete_sec_context", ctypes.byref(self._context), None)
