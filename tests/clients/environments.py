"""Runs client programs in virtual environments of their own, because their packages conflict with Viewgate's."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import uv

from proxy import jars

HERE = Path(__file__).parent
PROGRAMS = HERE / "programs"
UV = uv.find_uv_bin()


def environment(name: str) -> Path:
    """Return the Python of an environment with the packages of a lock file; created once per content, beside our
    environment.
    """
    lock = HERE / "locks" / f"{name}.lock"
    pinned = hashlib.sha256(lock.read_bytes()).hexdigest()[:12]
    folder = jars.directory() / f"{name}-{sys.version_info.major}.{sys.version_info.minor}-{pinned}"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([UV, "venv", "--quiet", "--python", sys.executable, folder], check=True)
        subprocess.run(
            [UV, "pip", "install", "--quiet", "--python", python, "--require-hashes", "-r", lock], check=True
        )
        (folder / "ready").touch()
    return python


def answers(name: str, program: str, folder: Path, *arguments: str, **settings: str) -> Any:
    """Return what a program has written to the file that is its first argument; it may write more files
    to that folder.
    """
    found = folder / "answers.json"
    done = subprocess.run(
        [environment(name), PROGRAMS / program, found, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONWARNINGS": "ignore", **settings},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return json.loads(found.read_text())
