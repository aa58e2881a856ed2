import base64
import hmac
import json
import time
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from proxy.authentication.tokens import Tokens

KEY, OTHER = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))
CURVE = ec.generate_private_key(ec.SECP256R1())
SECRET = "s" * 40


def pem(key: Any) -> str:
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return str(key.public_key().public_bytes(serialization.Encoding.PEM, form).decode())


def token(key: Any, algorithm: str = "RS256", kid: str | None = None, **claims: Any) -> str:
    claims = {"sub": "ann", "exp": time.time() + 60, **claims}
    given = {name: value for name, value in claims.items() if value is not None}
    return jwt.encode(given, key, algorithm, headers={"kid": kid} if kid else None)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "keys"


def test_a_public_key(file: Path) -> None:
    file.write_text(pem(KEY))
    tokens = Tokens.of(file)
    assert tokens.user(token(KEY)) == "ann"
    for bad in (
        token(OTHER),
        token(KEY, exp=time.time() - 60),
        token(KEY, exp=None),
        token(KEY, sub=""),
        token(KEY, sub=None),
        token(KEY)[:-4],
        "x",
        "",
        jwt.encode({"sub": "ann", "exp": time.time() + 60}, "", "none"),
    ):
        assert tokens.user(bad) is None


def test_a_public_key_is_no_shared_secret(file: Path) -> None:
    file.write_text(pem(KEY))

    def coded(data: bytes) -> str:
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    claims = json.dumps({"sub": "ann", "exp": time.time() + 60}).encode()
    forged = coded(b'{"alg":"HS256"}') + "." + coded(claims)
    forged += "." + coded(hmac.digest(pem(KEY).strip().encode(), forged.encode(), "sha256"))
    assert Tokens.of(file).user(forged) is None


def test_audience_issuer_and_claim(file: Path) -> None:
    file.write_text(SECRET)
    tokens = Tokens.of(file, audience="viewgate", issuer="idp", claim="email")
    good = {"aud": "viewgate", "iss": "idp", "email": "ann@x"}
    assert tokens.user(token(SECRET, "HS256", **good)) == "ann@x"
    for missing in good:
        assert tokens.user(token(SECRET, "HS256", **{**good, missing: None})) is None
    for other in ("aud", "iss"):
        assert tokens.user(token(SECRET, "HS256", **{**good, other: "other"})) is None


def test_a_set_of_keys(file: Path) -> None:
    keys = [
        json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(KEY.public_key())) | {"kid": "a", "alg": "RS256"},
        json.loads(jwt.algorithms.ECAlgorithm.to_jwk(CURVE.public_key())) | {"kid": "b", "alg": "ES256"},
    ]
    file.write_text(json.dumps({"keys": keys}))
    tokens = Tokens.of(file)
    assert tokens.user(token(KEY, kid="a")) == "ann"
    assert tokens.user(token(CURVE, "ES256", kid="b")) == "ann"
    assert tokens.user(token(KEY)) == "ann"
    assert tokens.user(token(KEY, kid="b")) is None
    assert tokens.user(token(OTHER, kid="a")) is None


def test_a_short_secret_is_refused(file: Path) -> None:
    file.write_text("secret\n")
    with pytest.raises(ValueError, match="has 6 characters: it must have 32 or more"):
        Tokens.of(file)
