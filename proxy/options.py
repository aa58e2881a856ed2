"""The settings in the file, on which the command line has the last word."""

from __future__ import annotations

import argparse
from dataclasses import replace

from proxy import config
from proxy.settable import COUNT, LISTEN_PORT, WORKERS


def settled(options: argparse.Namespace) -> config.Config:
    """Return the settings in the file, on which the command line has the last word."""
    settings = config.load(options.config) if options.config else config.Config()
    if settings.upstreams and (options.data or options.demo):
        given = "--data" if options.data else "--demo"
        raise config.ConfigError(f"{given} is for Viewgate's own Spark, and {options.config} names another")
    if options.demo is not None and not COUNT.accepts(options.demo):
        raise config.ConfigError(f"--demo is {options.demo}: it must be {COUNT.allowed}")
    if options.demo and not (settings.authentication.open_to_all and not _tls_only(settings.server)):
        raise config.ConfigError(
            "--demo makes its data as a client without a password, and in the clear: it cannot be given together with "
            "[authentication] passwords, ldap, jwt or kerberos, nor with [server.tls] required"
        )
    if options.data:
        settings = replace(settings, embedded=replace(settings.embedded, data=options.data))
    for name, kind in (("port", LISTEN_PORT), ("workers", WORKERS)):
        given = getattr(options, name)
        if given is not None:
            if not kind.accepts(given):
                raise config.ConfigError(f"--{name} is {given}: it must be {kind.allowed}")
            settings = replace(settings, server=replace(settings.server, **{name: given}))
    return settings


def _tls_only(listen: config.Listen) -> bool:
    return listen.tls is not None and listen.tls.required
