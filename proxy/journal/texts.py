"""The recorded texts of statements and errors: without credentials and, if so configured, without literals.

If literals are not recorded, a statement is recorded as its digest, which has `?` in place of each literal. An error
message is then recorded without any part that might be a literal or table data, because messages quote both in many
forms.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from proxy.statements import Token, scan, string_value

HIDDEN = "***"
_NAMES = (
    r"(?:password|passwd|(?<![a-z])pass(?![a-z])|pwd|passphrase|secret|token|credentials?|authorization"
    r"|(?:access|account|api|private)[._-]?key|service[._-]account[._-]json"
    r"|(?<![a-z])sig(?:nature)?(?==))"  # the last one is of a presigned URL or a SAS token
)
_SECRET = re.compile(_NAMES, re.IGNORECASE)
# Parts of these names, searched first: the regular expression takes 50 µs for a statement of 250 characters.
_PARTS = ("pass", "pwd", "secret", "token", "credential", "authorization", "key", "account", "sig", "header")
# Spaces and comments; their length is bounded, so that a text with many unclosed comments takes linear time.
_GAP = r"(?:\s|/\*(?:[^*]|\*(?!/)){0,200}+\*/|--[^\n]{0,200}\n)*+"
_STRING = r"""(?:r'[^']*'?|r"[^"]*"?|x?'(?:[^'\\]|\\.|'')*'?|x?"(?:[^"\\]|\\.|"")*"?|`(?:[^`]|``)*`?)"""
# A text in quotes within a string literal, where the quotes are doubled or have a backslash.
_INNER = r"""(?:''[^']+''|""[^"]+""|\\'(?:[^'\\]|\\[^'])*+\\'|\\"(?:[^"\\]|\\[^"])*+\\")"""
# A value without quotes, as in a URL: a comma or a parenthesis within it does not end it.
_BARE = r"""(?:(?:bearer|basic)\s+)?(?:\{[^}'"]*\}|[^\s,;&)'"]+(?:[,)]+(?![\w.]+\s*=)[^\s,;&)'"]+)*)"""
# A name that contains one of these (fs.s3a.secret.key), and its value: 'a' = 'b', a=b, a 'b', map('a', 'b'), and a
# DEFAULT 'b'. Spark joins strings that follow each other.
# It is tried once for each word: tried at each name in a long word, the time would grow with the square of the length.
_VALUE = re.compile(
    rf"""((?<![\w.-])(?=[\w.-]*?{_NAMES})[\w.-]++(?:['"]{_GAP},(?={_GAP}['"])|{_GAP}(?:STRING{_GAP})?DEFAULT\b"""
    rf"""|(?:\\?['"`]|''|"")?{_GAP}(?:=>|=|:|(?=[rx]?['"]))){_GAP})"""
    rf"""({_INNER}|{_STRING}(?:{_GAP}(?:\|\|{_GAP})?{_STRING})*|{_BARE})""",
    re.IGNORECASE | re.DOTALL,
)
# A quoted text (with backslash escapes) or a number; the group matches an apostrophe in English, which quotes nothing.
_QUOTED = re.compile(
    r"""(\w'(?:s|t|re)\b(?!')|(?<=\ws)'(?=\s\w))|'(?:[^'\\]|\\.)*\\?'?|"(?:[^"\\]|\\.)*\\?"?|(?<![\w`])\d[\w.]*"""
)
# The password of a setting that is a URL, which SQLAlchemy reads up to the next @, or of a URL in a statement, which
# ends before a quotation mark, a blank or a comment; its length is bounded, so that many URLs take linear time.
_IN_URL = re.compile(
    r"""(\A[\w.+-]+://[^/:]*:)[^@]*@|(://[^/@:\s]*:)(?:[^@\s'"/*]|/(?!\*)|\*(?!/)){1,1000}@"""
    r"""|(\bjdbc:oracle:\w+:[^/@\s'"]+/)[^@\s'"]{1,1000}@"""
)
# SET key=value: Spark takes the rest of the statement as the value.
_SETTING = re.compile(rf"SET\b{_GAP}([^\s=(]+)\s*=\s*(?=\S)", re.IGNORECASE)
_SET = re.compile(r"\bset\b", re.IGNORECASE)
_BEFORE_STATEMENT = frozenset({"", ";", "BEGIN", "THEN", "ELSE", "DO", "LOOP", "REPEAT"})
_HEADERS = re.compile(r"(?:\A|\.)headers?\.")  # HTTP headers may contain credentials; those of catalogs are header.NAME


def is_secret(name: str) -> bool:
    """Return whether a setting with this name holds a credential.

    >>> [is_secret(name) for name in ("bind_password", "fs.s3a.access.key", "x.header.A", "uri", "keytab")]
    [True, True, True, False, False]
    """
    return (_SECRET.search(name) or _HEADERS.search(name)) is not None


def without_credentials(text: str) -> str:
    """Return a statement or a URL with the values of credentials replaced by `***`.

    >>> without_credentials("SET fs.s3a.secret.key=abc")
    'SET fs.s3a.secret.key=***'
    >>> without_credentials("CREATE TABLE t USING jdbc OPTIONS ('password' = 'x''y', user 'ann')")
    "CREATE TABLE t USING jdbc OPTIONS ('password' = ***, user 'ann')"
    >>> without_credentials("postgresql://ann:secret@db/x"), without_credentials("SELECT token, secrets FROM t")
    ('postgresql://ann:***@db/x', 'SELECT token, secrets FROM t')
    """
    if "://" in text or "jdbc:oracle" in text:
        text = _IN_URL.sub(rf"\1\2\3{HIDDEN}@", text)
    lower = text.lower()
    if not any(part in lower for part in _PARTS):
        return text
    for setting in reversed([*_settings(text)]):
        if is_secret(setting.key):
            text = text[: setting.start] + HIDDEN + text[setting.end :]
    return _VALUE.sub(rf"\1{HIDDEN}", text)


class _Setting(NamedTuple):
    """The value of a SET statement in a text: the setting's key, and the offsets of the value in the text."""

    key: str
    start: int
    end: int


def _settings(text: str) -> Iterator[_Setting]:
    """Yield the value of each statement `SET key=value`, from left to right.

    The value is the rest of the text; in a script, the value ends before the next semicolon. A statement may also be
    the text of EXECUTE IMMEDIATE.

    >>> [text[start:end] for text in ("SET a=b;c", "BEGIN SET a=b c; END") for _, start, end in _settings(text)]
    ['b;c', 'b c']
    """
    if _SET.search(text) is None:
        return
    before, found = "", None
    for token in scan(text):
        if found is not None:
            if token.text != ";" or token.start < found.end():
                continue
            yield _Setting(found[1], found.end(), token.start)
            found = None
        elif token.keyword == "SET" and before in _BEFORE_STATEMENT and (found := _SETTING.match(text, token.start)):
            if not before:
                break
        elif before == "IMMEDIATE" and token.kind == "string" and (inner := _SETTING.search(token.text)):
            yield _Setting(inner[1], token.start + inner.end(), token.end - 1)
        before = token.keyword or token.text
    if found is not None:
        yield _Setting(found[1], found.end(), len(text))


# `?.?` (a number such as 2.5) and `?, ?` (a list of literals); `(?), (?)` (a list of parenthesized literals).
_LISTED, _ROWS = re.compile(r"\?(?:\.\?|\s*,\s*\?)+"), re.compile(r"\(\?\)(?:\s*,\s*\(\?\))+")
_QUOTES = frozenset("'\"")


@lru_cache(1024)
def digest(sql: str) -> str:
    r"""Return a statement on one line, without comments, and with `?` in place of each literal.

    A list of literals becomes one `?`, so that statements that differ only in a list's length have the same digest.

    >>> digest("SELECT a -- now\n FROM `t` WHERE b IN (1, 2.5, 'x') AND c = DATE '2024-01-01'")
    'SELECT a FROM `t` WHERE b IN (?) AND c = DATE ?'
    >>> digest("SELECT a FROM t WHERE b = 'secr…"), digest("SET hivevar:name=Ann Smith")
    ('SELECT a FROM t WHERE b = ?', 'SET hivevar:name=?')
    """
    pieces: list[str] = []
    end = 0
    for setting in reversed([*_settings(sql)]):
        sql = f"{sql[: setting.start]}?{sql[setting.end :]}"
    for token in scan(sql):
        gap = " " if pieces and token.start > end else ""
        if token.text in _QUOTES:  # an unterminated string, for example in a shortened text
            pieces.append(f"{gap}?")
            break
        pieces.append(gap + ("?" if _is_literal(token) else token.text))
        end = token.end
    return _ROWS.sub("(?)", _LISTED.sub("?", "".join(pieces)))


def _is_literal(token: Token) -> bool:
    return token.kind == "string" or (token.kind == "word" and token.text[0].isdigit())


_MARKS = re.compile(r"\?{2,}")
# Spark's name for a kind of error. Errors of these classes of SQLSTATE are found in the text of the statement, before
# any row is read; the messages of all others may have data of the tables, or a text that the statement has raised.
_CONDITION = re.compile(r"\[[A-Z][A-Z\d_]*(?:\.[A-Z\d_]+)*\]")
_OF_TEXTS = ("42", "0A")
_STATE = re.compile(r" *SQLSTATE: \w{5}")
# An error of Java without such a name; searched only from the start of a word, so that long words take linear time.
_JAVA = re.compile(r"(?<![\w.])(?:[a-z_]\w*\.)+[A-Z][\w$]*(?:Exception|Error)\b")


def string_literals(sql: str) -> frozenset[str]:
    r"""Return the first line of each string literal in a statement, without surrounding spaces.

    These texts are then removed from an error message, of which only the first line is recorded. Literals without a
    letter or digit are left out.

    >>> sorted(string_literals("SELECT 'Ann', 1, r'a' WHERE x = 'two\nlines' AND y = '-'"))
    ['Ann', 'a', 'two']
    """
    values = (string_value(token.text) for token in scan(sql) if token.kind == "string")
    lines = (value.strip().partition("\n")[0].strip() for value in values)
    return frozenset(line for line in lines if any(map(str.isalnum, line)))


def without_values(message: str, sql_state: str | None = None, known: Iterable[str] = ()) -> str:
    r"""Return the first line of an error message without literals and data: `?` replaces quoted texts and numbers.

    `known` are the literals of the statement, which are replaced even where they are not quoted. An error of Spark is
    reduced to its name, unless `sql_state` shows (class 42 or 0A) that Spark refused the statement before it read any
    rows.

    >>> without_values("[CAST_INVALID_INPUT] The value 'Ann' of `name` is 17 SQLSTATE: 22018\n== SQL ==\n", "22018")
    '[CAST_INVALID_INPUT]'
    >>> without_values("[UNRESOLVED_COLUMN] `name` beside 'Ann' SQLSTATE: 42703; line 2 pos 10", "42703")
    '[UNRESOLVED_COLUMN] `name` beside ?; line ? pos ?'
    >>> without_values("java.lang.RuntimeException: no Ann"), without_values("there is no view Ann", known=["Ann"])
    ('java.lang.RuntimeException', 'there is no view ?')
    >>> without_values(r"the view's filter is name = 'O\'Brien Secret'")
    "the view's filter is name = ?"
    """
    line = _STATE.sub("", message.split("\n", 1)[0])
    of_spark = _CONDITION.search(line) or _JAVA.search(line)
    if of_spark is not None and not (sql_state or "").startswith(_OF_TEXTS):
        line = line[: of_spark.end()]
    for value in sorted((each for each in known if each.lower() in line.lower()), key=len, reverse=True):
        line = re.sub(rf"(?<!\w){re.escape(value)}(?!\w)", "?", line, flags=re.IGNORECASE)
    return _MARKS.sub("?", _QUOTED.sub(lambda found: found[1] or "?", line))


# The number of characters of a statement that are kept, and that its log line has. A thousand statements of several
# megabytes would fill the memory.
KEPT, SHOWN = 10_000, 200


def kept(sql: str, *, literals: bool = True) -> str:
    """Return the part of a statement that is recorded: its first 10,000 characters, without credentials.

    If `literals` is false, return the digest of that part, in which `?` replaces each literal. Credentials are removed
    after the digest is made, because a quotation mark within a literal could hide a credential from the search.
    """
    text = shortened(sql, KEPT)
    return without_credentials(text if literals else digest(text))


def kept_message(
    message: str, sql_state: str | None = None, *, literals: bool = True, known: Iterable[str] = ()
) -> str:
    """Return the part of an error message that is recorded: its first 10,000 characters, without credentials.

    If `literals` is false, `without_values` removes quoted texts and numbers from the message, because Spark's errors
    quote the whole statement. `known` are the literals of the statement, which are removed even where they are not
    quoted. `sql_state`, the SQLSTATE of the error, decides whether more than the name of a Spark error is kept.
    """
    text = shortened(message, KEPT)
    return without_credentials(text if literals else without_values(text, sql_state, known))


def one_word(name: str) -> str:
    r"""Return a name as it appears in a log line: in quotes if it has spaces or control characters.

    >>> one_word("ann"), one_word("ann\nstatement")
    ('ann', "'ann\\nstatement'")
    """
    return name if name.isprintable() and " " not in name else repr(name)


def shortened(text: str, most: int) -> str:
    """Return the first `most` characters of a text, followed by `…` if the text was cut."""
    return text if len(text) <= most else f"{text[:most]}…"
