"""The writer of spans, made from the settings; OpenTelemetry is loaded only where they name a collector."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from proxy.config import ConfigError, TracingSettings
from proxy.journal import Writer

if TYPE_CHECKING:
    from opentelemetry.sdk.trace.export import SpanExporter


def check(settings: TracingSettings | None) -> None:
    """Raise ConfigError where there is to be tracing and the package for it is missing."""
    if settings is not None:
        _exporter(settings)


def spans(settings: TracingSettings) -> Writer:
    """Return the writer that exports spans to the collector of these settings."""
    exporter = _exporter(settings)
    from proxy.journal.spans import Spans

    # Its lines, one for each try, would stand beside the one line of the journal's.
    logging.getLogger("opentelemetry.exporter").setLevel(logging.CRITICAL)
    return Spans(exporter, settings.endpoint, settings.ratio)


def _exporter(settings: TracingSettings) -> SpanExporter:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    except ImportError as error:
        raise ConfigError(f"[tracing] needs a package: install viewgate[tracing] ({error})") from error
    return OTLPSpanExporter(endpoint=settings.endpoint, headers=dict(settings.headers))
