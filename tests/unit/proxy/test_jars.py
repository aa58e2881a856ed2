from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from proxy import jars
from proxy.children import Children

JAR = jars.Jar("org.example", "thing", "1.0", hashlib.sha256(b"the library").hexdigest())


@pytest.fixture
def fetching(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Replace Ivy, and fetch what it would fetch."""

    def fetches(content: bytes | None) -> Any:
        def ivy(missing: Sequence[jars.Jar], scratch: Path, _: Children) -> str:
            if content is None:
                return "UNRESOLVED DEPENDENCY"
            (scratch / "jars").mkdir()
            for jar in missing:
                (scratch / "jars" / jar.file).write_bytes(content)
            return ""

        monkeypatch.setattr(jars, "_ivy", ivy)

    return fetches


def test_fetched_once_and_kept(fetching: Any, tmp_path: Path) -> None:
    fetching(b"the library")
    path = tmp_path / "made" / "thing-1.0.jar"
    assert jars.ensure([JAR], tmp_path / "made") == (path,)
    assert path.read_bytes() == b"the library"
    assert os.listdir(path.parent) == ["thing-1.0.jar"]
    fetching(None)
    assert jars.ensure([JAR], path.parent) == (path,)


def test_another_file_under_that_name_is_refused_and_not_kept(fetching: Any, tmp_path: Path) -> None:
    fetching(b"something else")
    with pytest.raises(jars.Unfetched, match=r"thing-1\.0\.jar was fetched with the wrong checksum: sha256 "):
        jars.ensure([JAR], tmp_path)
    assert os.listdir(tmp_path) == []


def test_a_failed_fetch_says_what_to_do(fetching: Any, tmp_path: Path) -> None:
    fetching(None)
    with pytest.raises(jars.Unfetched) as failed:
        jars.ensure([JAR], tmp_path)
    assert "UNRESOLVED DEPENDENCY" in str(failed.value)
    assert f"put the file (sha256 {JAR.sha256}) into {tmp_path} yourself" in str(failed.value)


def test_the_sum_of_each_library_is_pinned() -> None:
    for jar in jars.EMBEDDED:
        assert len(bytes.fromhex(jar.sha256)) == 32
