"""The console's list of statements (filtered, counted, in pages of a hundred), and the comparison of two statements.

The comparison shows two statements side by side, and marks the parts that differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from math import ceil
from typing import NamedTuple

from starlette.datastructures import QueryParams

from proxy.answering.decision import NOT_TRIED
from proxy.answering.virtual_tables import Row
from proxy.journal import Outcome, Phase
from proxy.session import OperationState
from proxy.statements import scan

AT_A_TIME = 100
_FAILED = frozenset(state.name for state in (OperationState.ERROR, OperationState.TIMEDOUT))

# The filters that visitors may choose, by their names in the URL.
KINDS: Mapping[str, tuple[str, Callable[[Row], bool]]] = {
    "": ("All", lambda row: True),
    "running": ("Running", lambda row: bool(row["state"] == OperationState.RUNNING.name)),
    "queued": ("Queued", lambda row: bool(row["state"] == OperationState.PENDING.name)),
    "views": ("From views", lambda row: bool(row["outcome"] == Outcome.VIEW)),
    "missed": ("Missed", lambda row: row["outcome"] in (Outcome.MISS, Outcome.FALLBACK)),
    "failed": ("Failed", lambda row: row["state"] in _FAILED),
}

# A word for each state, and the word's CSS class; a state without an entry is shown by its own name.
_STANDINGS = {
    OperationState.PENDING.name: ("queued", "warn"),
    OperationState.RUNNING.name: ("running", "busy"),
    OperationState.FINISHED.name: ("finished", "good"),
    OperationState.ERROR.name: ("failed", "bad"),
    OperationState.TIMEDOUT.name: ("timed out", "bad"),
}

# A sentence about what answered a statement.
ANSWERED = {
    Outcome.VIEW: "A materialized view answers all or a part of this statement.",
    Outcome.MISS: "The base tables answer this statement: no materialized view over them could answer it.",
    Outcome.NONE: "Spark answers this statement: no materialized view reads its tables.",
    Outcome.FALLBACK: "The base tables answer this statement, because Spark could not run the rewritten statement.",
    Outcome.VIEWGATE: "Viewgate itself answers this statement.",
    Outcome.REFUSED: "This statement was refused and never started.",
}

# A description of each phase in the bar of a statement's time.
PHASES = {
    Phase.PLANNED: "Decision",
    Phase.QUEUED: "Waiting",
    Phase.EXECUTED: "Execution",
    Phase.FETCHED: "Fetching",
}


@dataclass(frozen=True)
class Listed:
    """One page of the list of statements.

    `rows` are the rows of the page, and `counts` the number of rows that each filter in KINDS (such as "running") would
    select. `kind` is the chosen filter, and `text` the text searched for. `page` is the number of the page (from 1) of
    `pages` pages.
    """

    rows: Sequence[Row]
    counts: Mapping[str, int]
    kind: str
    text: str
    page: int
    pages: int

    @property
    def address(self) -> str:
        """The URL path of the list, to which the template adds the parameters of links to other pages and filters."""
        return "/statements"


def listed(rows: Sequence[Row], asked: QueryParams) -> Listed:
    """Return the page of the list that the URL parameters `asked` select.

    `rows` are all statements, latest first; the list shows queued and running statements before ended ones.
    """
    text, kind = asked.get("q", "").strip(), asked.get("show", "")
    kind = kind if kind in KINDS else ""
    found = [row for row in rows if _has(row, text.lower())]
    counts = {name: sum(1 for row in found if wanted(row)) for name, (_, wanted) in KINDS.items()}
    wanted = sorted(filter(KINDS[kind][1], found), key=has_ended)
    pages = max(ceil(len(wanted) / AT_A_TIME), 1)
    page = min(max(_number(asked.get("page", "1")), 1), pages)
    return Listed(wanted[(page - 1) * AT_A_TIME : page * AT_A_TIME], counts, kind, text, page, pages)


def has_ended(row: Row) -> bool:
    """Return whether the statement described by `row`, a row of the system table, has ended."""
    return row["ended"] is not None


def standing(row: Row) -> tuple[str, str]:
    """Return the state of a statement, from its row in the system table, as a word and the word's CSS class.

    >>> standing({"state": "ERROR"}), standing({"state": "PENDING"}), standing({"state": "CLOSED"})
    (('failed', 'bad'), ('queued', 'warn'), ('closed', 'plain'))
    """
    return _STANDINGS.get(row["state"], (row["state"].lower(), "plain"))


def answered_by(row: Row) -> str:
    """Return, in a few words, the source of a statement's answer: views, tables, Spark or Viewgate.

    >>> answered_by({"outcome": "miss", "reason": "STALE", "chosen": []})
    'tables: STALE'
    >>> [answered_by({"outcome": outcome, "reason": "NOT_TRIED"}) for outcome in ("miss", "none", "refused")]
    ['tables', 'Spark', 'not started']
    """
    outcome = Outcome(row["outcome"])
    if outcome is Outcome.VIEW:
        return ", ".join(row["chosen"])
    words = {Outcome.NONE: "Spark", Outcome.VIEWGATE: "Viewgate", Outcome.REFUSED: "not started"}
    if outcome in words:
        return words[outcome]
    if row["reason"] == NOT_TRIED:
        return "tables"
    return "tables: " + ("Spark could not read the view" if outcome is Outcome.FALLBACK else row["reason"])


def verdicts(row: Row) -> list[tuple[str, str]]:
    """Return each view that was considered for a statement, and its verdict: chosen, could answer or cannot answer."""
    return [
        (view, "chosen" if view in row["chosen"] else "could answer" if view in row["matched"] else "cannot answer")
        for view in row["considered"]
    ]


@dataclass(frozen=True)
class Bar:
    """One phase of a statement as a part of a bar: its time in milliseconds, and its start and width in percent."""

    phase: Phase
    name: str
    ms: float
    begin: float
    width: float


def bars(row: Row) -> list[Bar]:
    """Return the phases of a statement as parts of a bar, in order; phases without a recorded time are left out.

    `row` is the row of the statement in the system table.
    """
    times = [(phase, row[f"{phase}_ms"]) for phase in Phase if row[f"{phase}_ms"] is not None]
    whole = sum(ms for _, ms in times) or 1.0
    found, at = [], 0.0
    for phase, ms in times:
        found.append(Bar(phase, PHASES[phase], ms, round(at, 2), round(100 * ms / whole, 2)))
        at += 100 * ms / whole
    return found


def _has(row: Row, text: str) -> bool:
    return not text or any(
        text in str(row[name]).lower() for name in ("statement", "user", "chosen", "reason", "answer", "error", "id")
    )


def _number(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 10 else 1


_MOST_TOKENS = 3000  # comparing longer statements would take seconds


class Piece(NamedTuple):
    """A part of a text, and whether it differs from the text that it is compared with."""

    text: str
    differs: bool


def compared(one: str, other: str) -> tuple[list[Piece], list[Piece]]:
    """Return both statements as pieces, compared token by token.

    Spaces, comments and case are ignored. If the two texts have more than _MOST_TOKENS (3,000) tokens together, each
    text is returned as one piece, without a comparison.

    If `other` has 200 tokens or more, an equal run of tokens is found only if it contains a token that is rare in
    `other`. A search that starts from frequent tokens would take too long (8 s for 1,500 tokens).

    >>> left, right = compared("SELECT sum(a) FROM sales", "select sum(a)  FROM `lake`.`agg`")
    >>> [piece.text for piece in left if piece.differs], [piece.text for piece in right if piece.differs]
    (['sales'], ['`lake`.`agg`'])
    """
    left, right = _Tokens.of(one), _Tokens.of(other)
    if len(left.words) + len(right.words) > _MOST_TOKENS:
        return [Piece(one, differs=False)], [Piece(other, differs=False)]
    changes = SequenceMatcher(None, left.words, right.words).get_opcodes()
    return (
        list(left.pieces([(begin, end) for kind, begin, end, _, _ in changes if kind != "equal" and begin < end])),
        list(right.pieces([(begin, end) for kind, _, _, begin, end in changes if kind != "equal" and begin < end])),
    )


class _Tokens(NamedTuple):
    text: str
    words: Sequence[str]
    spans: Sequence[tuple[int, int]]

    @staticmethod
    def of(text: str) -> _Tokens:
        words, spans = list[str](), list[tuple[int, int]]()
        for token in scan(text):
            word = token.text.upper() if token.kind == "word" else token.text
            # the parts of a dotted name are one token
            if spans and spans[-1][1] == token.start and (word == "." or words[-1].endswith(".")):
                words[-1], spans[-1] = words[-1] + word, (spans[-1][0], token.end)
            else:
                words.append(word)
                spans.append((token.start, token.end))
        return _Tokens(text, words, spans)

    def pieces(self, changed: Sequence[tuple[int, int]]) -> Iterator[Piece]:
        """Yield the statement's text as pieces.

        `changed` has the start and the end (exclusive) of each run of differing tokens, counted in tokens from 0.
        """
        at = 0
        for first, last in changed:
            begin, end = self.spans[first][0], self.spans[last - 1][1]
            if begin > at:
                yield Piece(self.text[at:begin], differs=False)
            yield Piece(self.text[begin:end], differs=True)
            at = end
        if at < len(self.text):
            yield Piece(self.text[at:], differs=False)
