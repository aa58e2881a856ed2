"""The statements that Viewgate answers itself, one subject per file.

COMMANDS maps the first keywords of these statements to their parsers. `find` decides by a statement's first keywords
whether Viewgate answers the statement; all other statements go to Spark. Viewgate's statements run DDL on tables and
views in the user's own upstream session, so that Spark checks the user's permissions.

`planner` plans every statement, Viewgate's own and Spark's. Three modules treat Spark's statements: `guard` refuses
statements that would break a materialized view, `affected` finds the views over the tables that a statement writes to,
and `show` removes storage tables from the result of SHOW TABLES.
"""

from __future__ import annotations

from collections.abc import Callable
from difflib import SequenceMatcher

from proxy.commands import (
    alter,
    check,
    create,
    describe,
    drop,
    explain,
    operate,
    refresh,
    settings,
    show,
    show_viewgate,
)
from proxy.commands.context import Command, Context, Reloaded
from proxy.commands.parser import Parser
from proxy.commands.planner import Planner
from proxy.commands.show_viewgate import Setting
from proxy.hs2 import SqlError
from proxy.statements import classify

__all__ = ["COMMANDS", "Command", "Context", "Planner", "Reloaded", "Setting", "find"]


def _none_of_these(parser: Parser) -> None:
    *others, last = (words[2] for words in COMMANDS if words[:2] == ("SHOW", "VIEWGATE") and len(words) > 2)
    raise SqlError(
        f"SHOW VIEWGATE is incomplete or unknown: write SHOW VIEWGATE followed by {', '.join(others)} or {last}",
        "42601",
    )


COMMANDS: dict[tuple[str, ...], tuple[Callable[[Parser], Command | None], str]] = {
    ("CREATE", "MATERIALIZED", "VIEW"): (create.parse, create.EXAMPLE),
    ("CREATE", "OR", "REPLACE", "MATERIALIZED", "VIEW"): (create.parse_replace, create.EXAMPLE),
    ("REFRESH", "MATERIALIZED", "VIEW"): (refresh.parse, refresh.EXAMPLE),
    ("ALTER", "MATERIALIZED", "VIEW"): (alter.parse, alter.EXAMPLE),
    ("DROP", "MATERIALIZED", "VIEW"): (drop.parse, drop.EXAMPLE),
    ("SHOW", "MATERIALIZED", "VIEWS"): (show.parse, show.EXAMPLE),
    ("SHOW", "CREATE", "MATERIALIZED", "VIEW"): (describe.parse_show_create, describe.EXAMPLE_SHOW_CREATE),
    ("SHOW", "VIEWGATE", "STATEMENTS"): (show_viewgate.parse_statements, show_viewgate.EXAMPLE_STATEMENTS),
    ("SHOW", "VIEWGATE", "DIGESTS"): (show_viewgate.parse_digests, show_viewgate.EXAMPLE_DIGESTS),
    ("SHOW", "VIEWGATE", "VIEWS"): (show_viewgate.parse_views, show_viewgate.EXAMPLE_VIEWS),
    ("SHOW", "VIEWGATE", "REFRESHES"): (show_viewgate.parse_refreshes, show_viewgate.EXAMPLE_REFRESHES),
    ("SHOW", "VIEWGATE", "UPSTREAMS"): (show_viewgate.parse_upstreams, show_viewgate.EXAMPLE_UPSTREAMS),
    ("SHOW", "VIEWGATE", "SESSIONS"): (show_viewgate.parse_sessions, show_viewgate.EXAMPLE_SESSIONS),
    ("SHOW", "VIEWGATE", "CONFIG"): (show_viewgate.parse_config, show_viewgate.EXAMPLE_CONFIG),
    ("SHOW", "VIEWGATE", "LAST"): (show_viewgate.parse_last, show_viewgate.EXAMPLE_LAST),
    ("SHOW", "VIEWGATE", "WORKERS"): (show_viewgate.parse_workers, show_viewgate.EXAMPLE_WORKERS),
    ("SHOW", "VIEWGATE"): (_none_of_these, show_viewgate.EXAMPLE_STATEMENTS),
    ("KILL", "VIEWGATE", "STATEMENT"): (operate.parse_kill, operate.EXAMPLE_KILL),
    ("PAUSE", "VIEWGATE", "UPSTREAM"): (operate.parse_pause, operate.EXAMPLE_PAUSE),
    ("RESUME", "VIEWGATE", "UPSTREAM"): (operate.parse_resume, operate.EXAMPLE_RESUME),
    ("DRAIN", "VIEWGATE", "UPSTREAM"): (operate.parse_drain, operate.EXAMPLE_DRAIN),
    ("RELOAD", "VIEWGATE", "CONFIG"): (operate.parse_reload, operate.EXAMPLE_RELOAD),
    ("RESTART", "VIEWGATE", "WORKERS"): (operate.parse_restart, operate.EXAMPLE_RESTART),
    ("DESCRIBE", "MATERIALIZED", "VIEW"): (describe.parse, describe.EXAMPLE),
    ("DESC", "MATERIALIZED", "VIEW"): (describe.parse, describe.EXAMPLE),
    ("CHECK", "CONSTRAINTS"): (check.parse, check.EXAMPLE),
    ("EXPLAIN", "REFRESH", "MATERIALIZED", "VIEW"): (refresh.parse_explain, refresh.EXAMPLE_EXPLAIN),
    ("EXPLAIN",): (explain.parse, explain.EXAMPLE),
    ("SET",): (settings.parse, settings.EXAMPLE),
    ("RESET",): (settings.parse_reset, settings.EXAMPLE),
}
# SHOW VIEWGATE is a command of its own.
_OPERATE = frozenset(beginning[0] for beginning in COMMANDS if beginning[1:2] == ("VIEWGATE",)) - {"SHOW"}
_FIRST = frozenset(beginning[0] for beginning in COMMANDS)
_SLIP = 0.7  # the similarity of a misspelled word: VEIW to VIEW has it, DESC to DESCRIBE has not


def find(sql: str) -> Command | None:
    """Return the parsed command if Viewgate answers the statement itself; return None if Spark answers the statement.

    Raise SqlError 42601 for a syntax error.

    >>> find("/* now */ describe materialized view demo.agg;")
    Describe(name=('demo', 'agg'))
    >>> find("SELECT 1") is None
    True
    """
    beginning = _beginning(classify(sql).keywords)
    if beginning is None:
        return None
    parse, example = COMMANDS[beginning]
    parser = Parser(sql, example)
    parser.expect(*beginning)
    return parse(parser)


def _beginning(keywords: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the key of COMMANDS with which the keywords start, exactly or misspelled; None if they start with no such
    key.
    """
    if keywords[1:2] == ("VIEWGATE",) and keywords[0] in _OPERATE:  # whatever follows: Spark has no such statement
        return next(beginning for beginning in COMMANDS if beginning[:2] == keywords[:2])
    if keywords[:1] and keywords[0] not in _FIRST and not any(map(_is_material, keywords)):
        return None
    return next((beginning for beginning in COMMANDS if _alike(keywords[: len(beginning)], beginning)), None)


def _alike(words: tuple[str, ...], beginning: tuple[str, ...]) -> bool:
    """Return whether keywords equal a command's first keywords, or look like a misspelling of these keywords.

    A command's single keyword, such as SET, must be equal. Because of this test, a misspelled command gets Viewgate's
    syntax error instead of Spark's.

    >>> _alike(("DROP", "MATERIALISED", "VEIW"), ("DROP", "MATERIALIZED", "VIEW")), _alike(("SETS",), ("SET",))
    (True, False)
    """
    if len(beginning) == 1 or len(words) < len(beginning):
        return words == beginning
    if not any(map(_is_material, words)):
        return [word.removesuffix("S") for word in words] == [word.removesuffix("S") for word in beginning]
    pairs = zip(words, beginning, strict=True)
    return all(SequenceMatcher(None, word, meant).ratio() >= _SLIP for word, meant in pairs)


def _is_material(word: str) -> bool:
    return word.startswith("MATERIAL")
