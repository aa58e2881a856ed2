"""Cookies that save HTTP clients a check of their password with every call."""

from __future__ import annotations

import base64
import hmac
import re
import secrets
from dataclasses import dataclass, field

NAME = "hive.server2.auth"  # as Hive's own drivers expect it


@dataclass(frozen=True)
class Cookies:
    """Login cookies signed by a secret key, so that the server stores none of the issued ones.

    A cookie of one `name` is not valid under another. `attributes` stand at the end of the header.

    >>> cookies = Cookies()
    >>> value = cookies.issue("ann", now=0, secure=False).split(";")[0]
    >>> cookies.user(value, now=10), cookies.user(value, now=1e6), Cookies().user(value, now=10)
    ('ann', None, None)
    """

    lifetime: float = 3600.0
    key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    name: str = NAME
    attributes: str = ""

    def issue(self, user: str, now: float, *, secure: bool) -> str:
        """Return the value of a Set-Cookie header."""
        text = f"{user}\n{now + self.lifetime:.0f}".encode()
        value = _coded(text) + "." + _coded(self._signature(text))
        # Without TLS, `Secure` would keep Java's client from ever sending it back.
        ends = f"{'; Secure' if secure else ''}{self.attributes and f'; {self.attributes}'}"
        return f"{self.name}={value}; Max-Age={self.lifetime:.0f}; Path=/; HttpOnly{ends}"

    def expire(self) -> str:
        """Return the value of a Set-Cookie header that makes a browser forget its cookie."""
        return f"{self.name}=; Max-Age=0; Path=/; HttpOnly{self.attributes and f'; {self.attributes}'}"

    def user(self, header: str, now: float) -> str | None:
        """Return the user of a Cookie header; None if the cookie is not ours or has expired."""
        found = re.search(rf'(?:^|;\s*){re.escape(self.name)}="?([^";]+)"?', header)
        if found is None:
            return None
        try:
            text, signature = (base64.urlsafe_b64decode(part) for part in found[1].split("."))
            if not hmac.compare_digest(signature, self._signature(text)):
                return None
            user, until = text.decode().rsplit("\n", 1)
        except ValueError:
            return None
        return user if float(until) > now else None

    def _signature(self, text: bytes) -> bytes:
        return hmac.digest(self.key, f"{self.name}\n".encode() + text, "sha256")


def _coded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode()
