from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from proxy import preflight


def java_that_answers(folder: Path, version: str) -> Path:
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    program.chmod(0o755)
    return program


@pytest.mark.parametrize("version", ["17.0.15", "21.0.2", "21-ea"])
def test_a_java_that_spark_knows(tmp_path: Path, version: Any) -> None:
    program = java_that_answers(tmp_path, version)
    assert preflight.java({"PATH": str(program.parent)}) == program
    assert preflight.java({"JAVA_HOME": str(tmp_path), "PATH": "/nowhere"}) == program


@pytest.mark.parametrize(
    ("version", "said"), [("1.8.0_292", "is Java 8"), ("25", "is Java 25"), ("x", "does not print")]
)
def test_another_java_is_refused_with_its_path_and_a_remedy(tmp_path: Path, version: Any, said: str) -> None:
    program = java_that_answers(tmp_path, version)
    with pytest.raises(preflight.Missing) as missing:
        preflight.java({"PATH": str(program.parent)})
    assert f"needs Java 17 or 21, but {program} {said}" in str(missing.value)
    assert "apt-get install openjdk-17-jre-headless" in str(missing.value)


def test_no_java_at_all(tmp_path: Path) -> None:
    with pytest.raises(preflight.Missing, match="there is no java on PATH: install Java"):
        preflight.java({"PATH": str(tmp_path)})
    with pytest.raises(preflight.Missing, match="JAVA_HOME is /nowhere, which has no bin/java"):
        preflight.java({"JAVA_HOME": "/nowhere"})


def test_it_runs_as_a_script_before_anything_is_installed(tmp_path: Path) -> None:
    program = [sys.executable, "-I", "-S", preflight.__file__]
    answer = subprocess.run(program, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert answer.returncode == 1
    assert answer.stderr.startswith("Viewgate's own Spark needs Java 17 or 21")
    assert answer.stderr.count("\n") == 1
