"""Checks this machine for Python and Java, with only the standard library, before anything is installed.

python3 proxy/preflight.py        # one sentence and exit code 1 if something is missing
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

PYTHON = (3, 11)
JAVA = (17, 21)
_GET_JAVA = (
    "install Java, for example with `apt-get install openjdk-17-jre-headless`, and set JAVA_HOME if java is not on PATH"
)


class Missing(Exception):
    """The error raised if a requirement is missing that Viewgate cannot install; the message says how to install it."""


def python(version: tuple[int, int] = sys.version_info[:2]) -> None:
    """Raise Missing if Python is older than 3.11.

    >>> python((3, 9))
    Traceback (most recent call last):
    proxy.preflight.Missing: Viewgate needs Python 3.11 or newer, but this is Python 3.9: install Python, for ...
    """
    if version < PYTHON:
        wanted = ".".join(map(str, PYTHON))
        found = ".".join(map(str, version))
        raise Missing(
            f"Viewgate needs Python {wanted} or newer, but this is Python {found}: install Python, for example "
            f"with `apt-get install python{wanted} python{wanted}-venv`, and call `make PYTHON=python{wanted}`"
        )


def java(environ: Mapping[str, str] = os.environ) -> Path:
    """Return the path of the Java program for Spark: in JAVA_HOME if that is set, else on PATH.

    Raise Missing if there is no such program, or if its version is neither 17 nor 21.
    """
    home = environ.get("JAVA_HOME")
    program = f"{home}/bin/java" if home else shutil.which("java", path=environ.get("PATH"))
    if program is None or not os.access(program, os.X_OK):
        where = f"JAVA_HOME is {home}, which has no bin/java" if home else "there is no java on PATH"
        raise Missing(f"Viewgate's own Spark needs Java 17 or 21, but {where}: {_GET_JAVA}")
    answer = subprocess.run([program, "-version"], capture_output=True, text=True, check=False)
    version = java_version(answer.stderr + answer.stdout)
    if version not in JAVA:
        found = f"is Java {version}" if version else f"does not print its version ({answer.stderr.strip()[:200]})"
        raise Missing(f"Viewgate's own Spark needs Java 17 or 21, but {program} {found}: {_GET_JAVA}")
    return Path(program)


def java_version(text: str) -> int | None:
    """Return the feature release (such as 17) in the output of `java -version`; None if the output names no version.

    >>> java_version('openjdk version "17.0.15" 2025-04-15'), java_version('java version "1.8.0_292"')
    (17, 8)
    """
    found = re.search(r'version "(?:1\.)?(\d+)', text)
    return int(found[1]) if found else None


def main() -> int:
    """Run all checks, print the first missing requirement, and return the exit code.

    The code is 1 if a requirement is missing, else 0.
    """
    try:
        python()
        java()
    except Missing as missing:
        sys.stderr.write(f"{missing}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
