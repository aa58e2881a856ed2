"""The samples of one process as plain values, and those of several as one exposition."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import Metric
from prometheus_client.registry import Collector

# Name, documentation and type of a family, and its samples, each with name, labels and value: what JSON can carry.
Packed = Sequence[Any]


def packed(registry: CollectorRegistry) -> Packed:
    """Return the samples of a registry, without the times at which their counters were made."""
    return [
        [m.name, m.documentation, m.type, [[s.name, s.labels, s.value] for s in m.samples if _is_wanted(s.name)]]
        for m in registry.collect()
    ]


def _is_wanted(sample: str) -> bool:
    return not sample.endswith("_created")


def merged(by_worker: Mapping[int, Packed]) -> list[Metric]:
    """Return one family for each name, whose samples are labelled with the number of their worker.

    >>> one = ["up", "Whether it is up.", "gauge", [["up", {}, 1.0]]]
    >>> [(sample.labels, sample.value) for sample in merged({1: [one], 2: [one]})[0].samples]
    [({'worker': '1'}, 1.0), ({'worker': '2'}, 1.0)]
    """
    families: dict[str, Metric] = {}
    for worker, metrics in sorted(by_worker.items()):
        for name, documentation, kind, samples in metrics:
            family = families.setdefault(name, Metric(name, documentation, kind))
            for sample, labels, value in samples:
                family.add_sample(sample, {**labels, "worker": str(worker)}, value)
    return list(families.values())


class _Given(Collector):
    def __init__(self, families: Iterable[Metric]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        return self._families


def exposition(families: Iterable[Metric]) -> bytes:
    """Return families in Prometheus' text format."""
    return generate_latest(_Given(families))
