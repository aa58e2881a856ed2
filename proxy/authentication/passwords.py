"""Passwords in a file: a line `user:hash` each, hashed by Argon2 as `viewgate password` prints them."""

from __future__ import annotations

from pathlib import Path

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError


class PasswordFile:
    """The users in a file, which is read again when it has changed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._hasher = PasswordHasher()
        # Verified against for an unknown user, who shall not be told from a wrong password by the time it takes.
        self._nobody = self._hasher.hash("")
        self._read_at: tuple[int, ...] | None = None
        self._hashes: dict[str, str] = {}
        self._refresh()

    def check(self, user: str, password: str) -> bool:
        """Return whether this is the user's password; takes as long as Argon2 is meant to."""
        self._refresh()
        known = self._hashes.get(user)
        try:
            return self._hasher.verify(known or self._nobody, password) and known is not None
        except (VerificationError, InvalidHashError):
            return False

    @staticmethod
    def line(user: str, password: str) -> str:
        """Return the line for a user."""
        return f"{user}:{PasswordHasher().hash(password)}"

    def _refresh(self) -> None:
        status = self._path.stat()
        read_at = (status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns)  # times may be set
        if read_at != self._read_at:
            self._hashes = parse(self._path.read_text(encoding="utf-8"), str(self._path))
            self._read_at = read_at


def parse(text: str, source: str) -> dict[str, str]:
    r"""Return the hashes by user; refuse a malformed line, which would lock its user out.

    >>> parse("# team\nann:$argon2id$x\n", "users")
    {'ann': '$argon2id$x'}
    """
    hashes = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        user, _, hashed = line.strip().partition(":")
        if not user or not hashed.startswith("$argon2"):
            raise ValueError(f"{source}:{number}: must be user:hash as `viewgate password` prints it")
        hashes[user] = hashed
    return hashes
