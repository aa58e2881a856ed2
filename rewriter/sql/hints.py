"""Parses Viewgate's own hint: `SELECT /*+ VIEWGATE(max_staleness = '10 minutes') */ …`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from sqlglot.tokens import TokenType

from rewriter.model import Session, TableName, split_name
from rewriter.sql.dialect import ParseError, tokenize

# The options of the hint: how old an answer may be, the only view to use, and OFF to use no view.
STALENESS, USE, OFF = "max_staleness", "use", "off"
HINT_IS_OFF = "the statement has the hint VIEWGATE(off)"

_HINT = re.compile(r"/\*\+\s*VIEWGATE\s*(?:\((.*)\)\s*)?\*/", re.IGNORECASE | re.DOTALL)
_OPTION = re.compile(r"""\s*(\w+)(?:\s*=\s*('[^']*'|"[^"]*"|[\w.`]+))?\s*(?:,|$)""")
# The end of the last option, and a further hint without its last parenthesis.
_OTHER = re.compile(r"""(?:[^()'"]|'[^']*'|"[^"]*")*\)\s*,?\s*(\w+\s*\(.*)""", re.DOTALL)


@dataclass(frozen=True)
class Hinted:
    """A statement with its VIEWGATE hint replaced by blanks, and the options in the hint.

    An option without a value is mapped to the empty string. If the hint cannot be parsed, or has an option twice,
    `problem` names the part that is wrong, `options` is empty and the text is unchanged; otherwise `problem` is empty.
    """

    sql: str
    options: Mapping[str, str]
    problem: str = ""

    def applied(self, session: Session) -> Session:
        """Return the session with rewriting turned off, or limited to one view, if the hint demands it."""
        if OFF in self.options:
            return replace(session, off=HINT_IS_OFF)
        if USE not in self.options:
            return session
        name = split_name(self.options[USE])
        return replace(session, only=session.resolve(name) or TableName(name))


def hinted(sql: str) -> Hinted:
    """Return a statement without its VIEWGATE hint, and the hint's options.

    Without a hint, the text is unchanged and there are no options. Several hints are one if their texts are equal.

    >>> hinted("SELECT /*+ VIEWGATE(use = 'a.b') */ 1")
    Hinted(sql='SELECT                              1', options={'use': 'a.b'}, problem='')
    >>> hinted("SELECT '/*+ VIEWGATE(off) */'").options
    {}
    """
    hints = _hints(sql)
    if len({hint for hint, *_ in hints}) > 1:
        return Hinted(sql, {}, "the statement has several VIEWGATE hints: write all options into one of them")
    options = _options(hints[0][0]) if hints else {}
    if isinstance(options, str):
        return Hinted(sql, {}, options)
    if problem := _problem_of(options):
        return Hinted(sql, {}, problem)
    for _, start, end in hints:
        blank = re.sub(r"[^\n]", " ", sql[start:end])  # keeps the line numbers of Spark's errors
        sql = sql[:start] + blank + sql[end:]
    return Hinted(sql, options)


def _problem_of(options: Mapping[str, str]) -> str:
    """Return why options of a hint are not valid; empty if they are valid.

    >>> _problem_of({"use": ""})
    'the option use of the hint VIEWGATE has no value'
    """
    unknown = next((option for option in options if option not in (STALENESS, USE, OFF)), None)
    without = next((option for option in (STALENESS, USE) if options.get(option) == ""), None)
    if unknown:
        return f"the hint VIEWGATE has no option {unknown}"
    if without:
        return f"the option {without} of the hint VIEWGATE has no value"
    both = USE in options and OFF in options
    return "the hint VIEWGATE both names a view to use and turns views off" if both else ""


def _options(hint: str) -> Mapping[str, str] | str:
    """Return the options in the parentheses of a VIEWGATE hint, or the problem of the hint as text.

    >>> _options("max_staleness = '1 hour'")
    {'max_staleness': '1 hour'}
    >>> _options("off), COALESCE(1")
    'another hint, COALESCE(1), stands in the comment of the hint VIEWGATE: write each hint in its own comment'
    """
    options: dict[str, str] = {}
    at = 0
    while at < len(hint):
        found = _OPTION.match(hint, at)
        if found is None:
            if (other := _OTHER.fullmatch(hint, at)) is not None:
                beside = f"another hint, {other[1]}), stands in the comment of the hint VIEWGATE"
                return f"{beside}: write each hint in its own comment"
            return f"the hint VIEWGATE({hint}) cannot be parsed at {hint[at:].strip()[:20]!r}"
        name = found[1].lower()
        if name in options:
            return f"the hint VIEWGATE has the option {name} twice"
        options[name] = (found[2] or "").strip("'\"")
        at = found.end()
    return options


def _hints(sql: str) -> list[tuple[str, int, int]]:
    """Return each VIEWGATE hint: the text in its parentheses, and the start and end offsets of the hint's comment.

    The text is empty for a hint without parentheses.
    """
    if "/*+" not in sql or "viewgate" not in sql.lower():
        return []
    try:
        tokens = [token for token in tokenize(sql) if token.token_type is TokenType.HINT]
    except ParseError:
        return []
    found = ((_HINT.fullmatch(sql, token.start, token.end + 1), token) for token in tokens)
    return [((match[1] or "").strip(), token.start, token.end + 1) for match, token in found if match is not None]
