"""Verifies JSON Web Tokens (JWT) signed by another service, for clients over HTTP."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jwt

# The algorithms for each kind of key. Believing the token's own header would let a public key pass for a shared secret.
_SIGNED = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")
_SHARED = ("HS256", "HS384", "HS512")


@dataclass(frozen=True)
class Tokens:
    """The keys that verify JSON Web Tokens, the claims that a token must have, and the claim that names the user.

    `keys` are pairs of a key id and a key. A token that names a key id is verified only by the key with this id; a key
    without an id (None) verifies every token. An `audience` or `issuer` of None is not checked. `algorithms` are the
    allowed signature algorithms.
    """

    keys: tuple[tuple[str | None, Any], ...]
    algorithms: tuple[str, ...]
    audience: str | None = None
    issuer: str | None = None
    claim: str = "sub"

    @classmethod
    def of(cls, keys: Path, audience: str | None = None, issuer: str | None = None, claim: str = "sub") -> Tokens:
        """Return the Tokens with the keys in a file: a JSON Web Key Set, a public key in PEM, or a shared secret.

        `audience`, `issuer` and `claim` become the fields of the same name. Raise ValueError for a shared secret of
        fewer than 32 characters.
        """
        text = keys.read_text(encoding="utf-8").strip()
        if text.startswith("{"):
            listed = jwt.PyJWKSet.from_dict(json.loads(text)).keys
            return cls(tuple((key.key_id, key.key) for key in listed), _SIGNED, audience, issuer, claim)
        if text.startswith("-----BEGIN"):
            return cls(((None, text),), _SIGNED, audience, issuer, claim)
        if len(text) < 32:
            raise ValueError(f"the shared secret in {keys} has {len(text)} characters: it must have 32 or more")
        return cls(((None, text),), _SHARED, audience, issuer, claim)

    def user(self, token: str) -> str | None:
        """Return the user of a token; None if the token is invalid or has expired."""
        try:
            wanted = jwt.get_unverified_header(token).get("kid")
        except jwt.PyJWTError:
            return None
        for name, key in self.keys:
            if name is None or wanted in (None, name):
                user = self._user(token, key)
                if user is not None:
                    return user
        return None

    def _user(self, token: str, key: Any) -> str | None:
        try:
            claims = jwt.decode(
                token,
                key,
                algorithms=list(self.algorithms),
                audience=self.audience,
                issuer=self.issuer,
                options={"require": ["exp", self.claim], "verify_aud": self.audience is not None},
            )
        except (jwt.PyJWTError, TypeError):
            return None
        user = claims[self.claim]
        return user if isinstance(user, str) and user else None
