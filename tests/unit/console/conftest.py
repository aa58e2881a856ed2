from __future__ import annotations

from tests.unit.pipeline.conftest import house, lake

__all__ = ["house", "lake"]
