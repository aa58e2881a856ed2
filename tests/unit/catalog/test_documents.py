from __future__ import annotations

import pytest

from proxy.catalog.documents import Remembered, decode


def test_the_least_recently_used_value_goes_first() -> None:
    made: list[str] = []
    remembered: Remembered[str, str] = Remembered(2)
    for key in ("a", "b", "a", "c", "a", "b"):
        remembered.get(key, lambda key=key: made.append(key) or key)  # type: ignore[misc,func-returns-value]
    assert made == ["a", "b", "c", "b"]


def test_a_failure_is_not_remembered() -> None:
    remembered: Remembered[str, int] = Remembered(2)
    with pytest.raises(ZeroDivisionError):
        remembered.get("a", lambda: 1 // 0)
    assert remembered.get("a", lambda: 1) == 1


def test_metadata_that_is_no_object_is_refused() -> None:
    with pytest.raises(ValueError, match="not a JSON object"):
        decode(b"[]")
