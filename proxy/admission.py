"""Creates the login checks, TLS settings, limits and tracing that the settings file configures.

Unusable files and missing Python packages raise ConfigError.
"""

from __future__ import annotations

import logging
import ssl
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from proxy.authentication import Authentication, PasswordFile, Passwords, Tickets, TokenKeys
from proxy.config import (
    AuthenticationSettings,
    Certificate,
    Config,
    ConfigError,
    ConsoleSettings,
    JwtSettings,
    KerberosSettings,
    LdapSettings,
    TlsFiles,
    TracingSettings,
    check_workers,
)
from proxy.ports import TlsSettings

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter

    from proxy.journal import Writer
    from proxy.server import Entrance


T = TypeVar("T")


def check(settings: Config) -> None:
    """Raise ConfigError if `serve` would refuse these settings before it opens a port or a connection."""
    if settings.server.workers > 1:
        check_workers(settings)
    authentication(settings.authentication)
    if settings.server.tls is not None:
        tls(settings.server.tls)
    console_tls(settings.console)
    check_tracing(settings.tracing)
    if any(address.tls or address.kerberos for address in settings.upstreams):
        from proxy import links  # importing it takes 0.2 s

        links.upstreams(settings)


def entrance(settings: Config) -> Callable[..., Entrance]:
    """Return a function that makes an Entrance from a Thrift service: it adds login checks, TLS and limits to the
    service.

    If the settings are invalid, raise ConfigError at once, not when the returned function is called.
    """
    from proxy.server import Entrance, Limits  # importing the server takes 2 s, and `check-config` does not need it

    return partial(
        Entrance,
        authentication=authentication(settings.authentication),
        tls=tls(settings.server.tls) if settings.server.tls else None,
        limits=Limits(**settings.limits.given),
    )


def authentication(settings: AuthenticationSettings) -> Authentication:
    """Return the checker of logins for the settings; raise ConfigError for an unusable file or a missing package."""
    passwords: Passwords | None = None
    if settings.passwords is not None:
        path = settings.passwords
        passwords = _made("[authentication] passwords", lambda: PasswordFile(path))
    elif settings.ldap is not None:
        passwords = _directory(settings.ldap)
    tokens = _tokens(settings.jwt) if settings.jwt is not None else None
    return Authentication(passwords, tokens, tickets=_tickets(settings.kerberos) if settings.kerberos else None)


def tls(files: TlsFiles) -> TlsSettings:
    """Return TLS settings for the SQL port with the certificate in `files`; raise ConfigError if the certificate is
    unusable.
    """
    return _loaded("[server.tls]", files, files.required)


def console_tls(settings: ConsoleSettings) -> TlsSettings | None:
    """Return TLS settings for the console; None if the settings name no certificate for the console.

    Raise ConfigError if the certificate cannot be loaded.
    """
    return None if settings.tls is None else _loaded("[console.tls]", settings.tls, required=True)


def _loaded(table: str, files: Certificate, required: bool) -> TlsSettings:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    settings = TlsSettings(context, required)
    _made(table, lambda: settings.load(files.certificate, files.key))
    return settings


def _directory(settings: LdapSettings) -> Passwords:
    try:
        from proxy.authentication.directory import Directory
    except ImportError as error:
        raise ConfigError(
            f"[authentication.ldap] needs a Python package ({error}): run pip install '.[ldap]' in Viewgate's sources"
        ) from error
    return Directory(**settings.given)


def _tokens(settings: JwtSettings) -> TokenKeys:
    try:
        from proxy.authentication.tokens import Tokens
    except ImportError as error:
        raise ConfigError(
            f"[authentication.jwt] needs a Python package ({error}): run pip install '.[jwt]' in Viewgate's sources"
        ) from error
    return _made("[authentication.jwt]", lambda: Tokens.of(**settings.given))


def _tickets(settings: KerberosSettings) -> Tickets:
    from proxy.authentication.gssapi import GssError
    from proxy.authentication.kerberos import Kerberos

    try:
        return Kerberos(**settings.given)
    except GssError as error:
        raise ConfigError(
            f"[authentication.kerberos] the keytab {settings.keytab} cannot be used: {error}; check its path, and that "
            "it has a key of `principal`"
        ) from error


def _made(key: str, make: Callable[[], T]) -> T:
    """Return the result of `make`; turn an OSError or ValueError of `make` into a ConfigError whose message begins with
    `key`.
    """
    try:
        return make()
    except OSError as error:
        raise ConfigError(
            f"{key}: {error.filename} cannot be read: {error.strerror}; check the path and the file's permissions"
        ) from error
    except ValueError as error:
        raise ConfigError(f"{key}: {error}") from error


def check_tracing(settings: TracingSettings | None) -> None:
    """Raise ConfigError if tracing is configured but the OpenTelemetry package is missing."""
    if settings is not None:
        _exporter(settings)


def spans(settings: TracingSettings) -> Writer:
    """Return the journal writer that sends spans to the OpenTelemetry collector of these settings.

    Raise ConfigError if the OpenTelemetry package is missing.
    """
    exporter = _exporter(settings)
    from proxy.journal.spans import Spans

    # The journal logs one line per outage; OpenTelemetry would log one for each try.
    logging.getLogger("opentelemetry.exporter").setLevel(logging.CRITICAL)
    return Spans(exporter, settings.endpoint, settings.ratio)


def _exporter(settings: TracingSettings) -> SpanExporter:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError as error:
        raise ConfigError(
            f"[tracing] needs a Python package ({error}): run pip install '.[tracing]' in Viewgate's sources"
        ) from error
    return OTLPSpanExporter(endpoint=settings.endpoint, headers=dict(settings.headers))
