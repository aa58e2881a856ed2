"""Upstream servers, made from the settings with their TLS, HTTP and Kerberos, and sessions of Viewgate's own at one.

An error in the settings stops the start or the reload.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from proxy.config import Config, ConfigError, UpstreamAddress, UpstreamKerberos, UpstreamTls
from proxy.hs2 import Query, encode_call
from proxy.hs2.codec import V11
from proxy.hs2.generated import ttypes
from proxy.upstream import Link, Terms, Tickets, Timeouts, Tls, Upstream, Upstreams, UpstreamSession
from proxy.wire import Transport


def upstreams(settings: Config) -> list[Upstream]:
    """Return the servers of the clients' sessions, each of which logs in as its user."""
    return [upstream(address) for address in settings.upstreams]


def for_pipeline(settings: Config) -> list[Upstream]:
    """Return the same servers for refresh jobs, which log in as themselves."""
    user, password = settings.pipeline.user, settings.pipeline.password
    servers = (replace(upstream(address), what="Spark (refreshes)") for address in settings.upstreams)
    return [server if server.link.tickets else replace(server, user=user, password=password) for server in servers]


def upstream(address: UpstreamAddress) -> Upstream:
    """Return the server at an address; raise ConfigError if a file that it needs cannot be used."""
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
        raise ConfigError(f"[upstream.kerberos] of {host}, keytab {settings.keytab}: {error}") from error


def _tls(files: UpstreamTls, where: str) -> Tls:
    try:
        context = ssl.create_default_context(cafile=files.ca)
        if files.certificate is not None:
            context.load_cert_chain(files.certificate, files.key)
    except (OSError, ValueError) as error:
        raise ConfigError(f"[upstream.tls] of {where}: {_told(files, error)}") from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    return Tls(context, files.server_name)


def _told(files: UpstreamTls, error: Exception) -> str:
    """Name the files, of which Python's error names none."""
    given = [str(file) for file in (files.ca, files.certificate, files.key) if file is not None]
    return f"{', '.join(given)} cannot be loaded: {error}"


async def open_session(upstreams: Upstreams, user: str | None = None) -> UpstreamSession:
    """Return a session of Viewgate's own, under a user's name if there is one."""
    request = ttypes.TOpenSessionReq(client_protocol=V11, configuration={})
    session, _ = await upstreams.open(user, encode_call("OpenSession", 0, request))
    return session


@asynccontextmanager
async def in_session(where: Upstream, user: str | None, timeouts: Timeouts | None = None) -> AsyncIterator[Query]:
    """Yield a function that runs statements in a session of Viewgate's own, until the body ends."""
    upstreams = Upstreams([where], timeouts)
    try:
        session = await open_session(upstreams, user)
        try:
            yield session.query
        finally:
            await session.close()
    finally:
        upstreams.close()
