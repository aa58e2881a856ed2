"""Creates the objects for upstream servers from the settings; raises ConfigError for unusable TLS files and keytabs."""

from __future__ import annotations

import ssl
from dataclasses import replace

from proxy.config import Config, ConfigError, UpstreamAddress, UpstreamKerberos, UpstreamTls
from proxy.upstream import Link, Terms, Tickets, Tls, Upstream
from proxy.wire import Transport


def upstreams(settings: Config) -> list[Upstream]:
    """Return the upstream servers for clients' sessions, one for each [[upstream]], with its login.

    Raise ConfigError if a file that the settings name cannot be used.
    """
    return [upstream(address) for address in settings.upstreams]


def for_pipeline(settings: Config) -> list[Upstream]:
    """Return the upstream servers for refresh jobs, with the login of [pipeline].

    A server with Kerberos keeps the login of its keytab. Raise ConfigError if a file that the settings name cannot be
    used.
    """
    user, password = settings.pipeline.user, settings.pipeline.password
    servers = (replace(upstream(address), what="Spark (refreshes)") for address in settings.upstreams)
    return [server if server.link.tickets else replace(server, user=user, password=password) for server in servers]


def upstream(address: UpstreamAddress) -> Upstream:
    """Return the upstream server that one [[upstream]] of the settings (`address`) describes.

    Raise ConfigError if a file that the settings name cannot be used.
    """
    terms = Terms(address.weight, address.sessions, address.statements, address.draining)
    return Upstream(address.host, address.port, address.user, address.password, terms=terms, link=_link(address))


def _link(address: UpstreamAddress) -> Link:
    return Link(
        Transport[address.transport.upper()],
        _tls(address.tls, f"{address.host}:{address.port}") if address.tls is not None else None,
        f"/{address.path.removeprefix('/')}",
        address.headers,
        address.basic and not any(name.lower() == "authorization" for name in address.headers),
        _tickets(address.kerberos, address.host) if address.kerberos is not None else None,
        address.kerberos is not None if address.impersonate is None else address.impersonate,
    )


def _tickets(settings: UpstreamKerberos, host: str) -> Tickets:
    from proxy.authentication.gssapi import GssError
    from proxy.authentication.kerberos import KerberosClient

    try:
        return KerberosClient(settings.principal, settings.keytab, settings.client or "")
    except GssError as error:
        raise ConfigError(
            f"[upstream.kerberos] of {host}: the keytab {settings.keytab} cannot be used: {error}; check the path "
            "of the keytab, and its keys"
        ) from error


def _tls(files: UpstreamTls, where: str) -> Tls:
    try:
        context = ssl.create_default_context(cafile=files.ca)
        if files.certificate is not None:
            context.load_cert_chain(files.certificate, files.key)
    except (OSError, ValueError) as error:
        raise ConfigError(f"[upstream.tls] of {where} cannot be used: {_told(files, error)}") from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return Tls(context, files.server_name)


def _told(files: UpstreamTls, error: Exception) -> str:
    """Return an error message for TLS files that names the files, because Python's `error` does not name them."""
    given = [str(file) for file in (files.ca, files.certificate, files.key) if file is not None]
    return f"{', '.join(given)} cannot be loaded: {error}; check the paths, and that the files are PEM files"
