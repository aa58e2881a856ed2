"""The types of the values in the settings file; each type's error message says which values are allowed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError, ValidationInfo, WrapValidator
from pydantic_core import PydanticCustomError


def _allowed(what: str, *, secret: bool = False) -> WrapValidator:
    """Return a validator with the error message "is <value>: it must be <what>"; `what` describes the allowed values.

    An example with the `what` "a whole number" is "is 'many': it must be a whole number". The value is left out of the
    message if the setting is `secret`, and if the value is a table or a list, because these may contain a password.
    """

    def check(value: Any, validate: Any) -> Any:
        try:
            return validate(value)
        except ValidationError as error:
            told = f"must be {what}" if secret or isinstance(value, dict | list) else f"is {value!r}: it must be {what}"
            # Braces are placeholders in a message template, but text in the value of a placeholder.
            raise PydanticCustomError("not_allowed", "{told}", {"told": told}) from error

    return WrapValidator(check)


def _as_text(value: Any) -> Any:
    """Convert a TOML number or truth value to text, as pyiceberg and Spark expect it; return other values unchanged.

    >>> _as_text(True), _as_text(3), _as_text("x")
    ('true', '3', 'x')
    """
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int | float) else value


def _located(value: Any, info: ValidationInfo) -> Any:
    """Convert a text to a path, relative to the directory of the settings file; return other values unchanged.

    An empty text is also returned unchanged, because the check of the type, which follows, refuses empty texts.
    """
    if not isinstance(value, str) or not value:
        return value
    directory: Path = (info.context or {}).get("directory", Path())
    return directory / value


Text = Annotated[str, Field(min_length=1), _allowed("a text that is not empty")]
Password = Annotated[str, _allowed("a text", secret=True)]
File = Annotated[Path, BeforeValidator(_located), _allowed("a text that is not empty")]
TableId = Annotated[
    str,
    Field(pattern=r"^\w+(\.\w+)+$"),
    _allowed("a namespace and a name in the catalog with a dot between them, such as 'ops.statements'"),
]
Truth = Annotated[bool, _allowed("true or false")]
Port = Annotated[int, Field(ge=1, le=65535), _allowed("a whole number from 1 to 65535")]
ListenPort = Annotated[int, Field(ge=0, le=65535), _allowed("a whole number from 0 (any free port) to 65535")]
Workers = Annotated[int, Field(ge=1, le=64), _allowed("a whole number from 1 to 64")]
Count = Annotated[int, Field(ge=1), _allowed("a whole number, 1 or more")]
Bytes = Annotated[int, Field(ge=65536), _allowed("a whole number of bytes, 65536 or more")]
Depth = Annotated[int, Field(ge=9, le=32), _allowed("a whole number from 9, as deep as the protocol nests, to 32")]
Seconds = Annotated[float, Field(gt=0), _allowed("a number of seconds over 0")]
Share = Annotated[float, Field(gt=0), _allowed("a number over 0")]
Ratio = Annotated[float, Field(ge=0, le=1), _allowed("a number from 0 to 1")]
HttpUrl = Annotated[
    str,
    Field(pattern=r"^https?://[!-~]+$"),
    _allowed("a URL that begins with http:// or https://"),
]
Texts = Annotated[frozenset[Text], Field(strict=False), _allowed("a list of texts")]
LogForm = Annotated[Literal["text", "json"], _allowed("text or json")]
TransportName = Annotated[Literal["sasl", "nosasl", "http"], _allowed("one of sasl, nosasl, http")]
CatalogType = Annotated[
    Literal["sql", "rest", "hive"],
    BeforeValidator(lambda value: value.lower() if isinstance(value, str) else value),
    _allowed("sql, rest or hive, because Viewgate reads views only from these catalogs"),
]
HttpPath = Annotated[str, Field(pattern="^[!-~]+$"), _allowed("a URL path, such as cliservice")]
_HeaderName = Annotated[str, Field(pattern=r"^[\w!#$%&'*+.^`|~-]+$")]
_HeaderValue = Annotated[str, Field(pattern=r"^[!-~]([ -~]*[!-~])?$")]
Headers = Annotated[
    dict[_HeaderName, _HeaderValue],
    _allowed("a table of HTTP headers, whose values are texts of one line", secret=True),
]
Scalar = Annotated[str, BeforeValidator(_as_text), _allowed("a text, a number or a truth value")]
Scalars = Annotated[dict[str, Scalar], _allowed("a table of texts, numbers and truth values")]


def checked(name: str, kind: Any, value: Any) -> Any:
    """Return `value` if the type `kind` allows it, else raise ValueError; `kind` is one of the types in this module.

    A type may convert the value, for example a text to a path. The message of the error has the option's `name`, the
    value, and the allowed values.

    >>> checked("--port", ListenPort, -1)
    Traceback (most recent call last):
    ValueError: the option --port is -1: it must be a whole number from 0 (any free port) to 65535
    """
    try:
        return TypeAdapter(kind).validate_python(value, strict=True)
    except ValidationError as error:
        is_but_must_be = error.errors()[0]["msg"]  # from _allowed(), such as "is -1: it must be a number over 0"
        raise ValueError(f"the option {name} {is_but_must_be}") from None
