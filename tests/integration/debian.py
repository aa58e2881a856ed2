"""Servers from Debian packages for tests: those installed on the machine, else unpacked beside our environment."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from proxy import jars

ATTEMPTS = 3  # a mirror sometimes sends a part of a file
_WHERE = "bin", "sbin", "usr/bin", "usr/sbin"


@dataclass(frozen=True)
class Packages:
    """The programs of some packages; `root` takes the place of the file system's root directory."""

    root: Path

    def run(self, program: str, *arguments: str | Path, **settings: str) -> subprocess.CompletedProcess[str]:
        """Run a program to its end, which must succeed; `settings` are added to its environment."""
        command, environment = [self.path(program), *arguments], {**self.environment, **settings}
        done = subprocess.run(command, env=environment, text=True, capture_output=True, check=False)
        assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"
        return done

    def path(self, program: str) -> Path:
        """Return the path of a program."""
        return next(path for folder in _folders(self.root) if (path := folder / program).exists())

    def libraries(self, name: str) -> Path:
        """Return the folder with this name among the libraries, such as `ldap` or `krb5/plugins/kdb`."""
        return next(iter([*self.root.glob(f"usr/lib/*/{name}"), *self.root.glob(f"usr/lib/{name}")]))

    @property
    def environment(self) -> Mapping[str, str]:
        """Return an environment in which the programs find their libraries."""
        if self.root == Path("/"):
            return os.environ
        folders = [*self.root.glob("usr/lib/*-linux-*"), *self.root.glob("usr/lib/*-linux-*/pulseaudio")]
        return {**os.environ, "LD_LIBRARY_PATH": os.pathsep.join(map(str, sorted(folders)))}


def packages(programs: Sequence[str], names: Sequence[str]) -> Packages:
    """Return packages that contain these programs."""
    search = os.pathsep.join(map(str, _folders(Path("/"))))
    if all(shutil.which(program, path=search) for program in programs):
        return Packages(Path("/"))
    folder = jars.directory() / ("debian-" + "-".join(names))
    folder.parent.mkdir(parents=True, exist_ok=True)
    # The processes of one run must not unpack into the same folder at once.
    with open(folder.with_name(f"{folder.name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "ready").exists():
            assert shutil.which("apt-get"), f"{', '.join(programs)}: install them, here is no apt-get to get them with"
            _unpack(names, folder)
            (folder / "ready").touch()
    return Packages(folder)


def _folders(root: Path) -> list[Path]:
    """Return the folders of programs; PostgreSQL has one for each version, the latest first here."""
    return [*(root / folder for folder in _WHERE), *sorted(root.glob("usr/lib/postgresql/*/bin"), reverse=True)]


def _unpack(names: Sequence[str], folder: Path) -> None:
    """Fetch packages with all dependencies that are not installed; package lists and cache are not the system's."""
    problem = ""
    for _ in range(ATTEMPTS):
        shutil.rmtree(folder, ignore_errors=True)
        problem = _fetch(names, folder)
        if not problem:
            break
    assert not problem, f"{' '.join(names)} could not be fetched: {problem}"
    for archive in (folder / "apt/archives").glob("*.deb"):
        subprocess.run(["dpkg", "-x", archive, folder], check=True)
    shutil.rmtree(folder / "apt")


def _fetch(names: Sequence[str], folder: Path) -> str:
    """Fetch package lists and packages into a folder; return what went wrong, empty if nothing did."""
    lists, archives = folder / "apt/lists", folder / "apt/archives"
    for path in (lists, archives):
        (path / "partial").mkdir(parents=True)
    options = [
        f"Dir::State::lists={lists}",
        f"Dir::Cache={folder / 'apt'}",
        "Debug::NoLocking=1",
        "APT::Sandbox::User=",
    ]
    apt = ["apt-get", "-qq", *(f"-o{option}" for option in options)]
    install = [*apt, "install", "--yes", "--download-only", "--no-install-recommends", *names]
    for command in ([*apt, "update"], install):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            return f"{done.stdout}{done.stderr}"
    return ""
