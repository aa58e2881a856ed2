"""Two statements beside each other, with the parts marked in which they differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from proxy.statements import scan

_MOST = 3000  # tokens: what is longer is not compared, which would take seconds


class Piece(NamedTuple):
    """A part of a text, and whether the other text has it, too."""

    text: str
    differs: bool


def compared(one: str, other: str) -> tuple[list[Piece], list[Piece]]:
    """Return both texts in pieces, compared token by token; spaces, comments and the case of letters do not count.

    >>> left, right = compared("SELECT sum(a) FROM sales", "select sum(a)  FROM `lake`.`agg`")
    >>> [piece.text for piece in left if piece.differs], [piece.text for piece in right if piece.differs]
    (['sales'], ['`lake`.`agg`'])
    """
    left, right = _Tokens.of(one), _Tokens.of(other)
    if len(left.words) + len(right.words) > _MOST:
        return [Piece(one, differs=False)], [Piece(other, differs=False)]
    changes = SequenceMatcher(None, left.words, right.words, autojunk=False).get_opcodes()
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
            if spans and spans[-1][1] == token.start and (word == "." or words[-1].endswith(".")):  # a name of parts
                words[-1], spans[-1] = words[-1] + word, (spans[-1][0], token.end)
            else:
                words.append(word)
                spans.append((token.start, token.end))
        return _Tokens(text, words, spans)

    def pieces(self, changed: Sequence[tuple[int, int]]) -> Iterator[Piece]:
        """Yield the text, cut where runs of changed tokens begin and end."""
        at = 0
        for first, last in changed:
            begin, end = self.spans[first][0], self.spans[last - 1][1]
            if begin > at:
                yield Piece(self.text[at:begin], differs=False)
            yield Piece(self.text[begin:end], differs=True)
            at = end
        if at < len(self.text):
            yield Piece(self.text[at:], differs=False)
