"""The registry is the only list of functions, and is consistent."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from sqlglot import exp

import rewriter
from rewriter.block.vocabulary import CAST_TYPES
from rewriter.functions.registry import AGGREGATES, FUNCTIONS, WINDOWS, meant
from rewriter.functions.trees import call_of
from rewriter.functions.types import FRACTIONS
from rewriter.timeseries import GRANULARITIES

ROOT = Path(rewriter.__file__).parent
NAMES = frozenset(WINDOWS).union(*((record.name, *record.synonyms) for record in FUNCTIONS.values()))
# Names of types and of units of time are functions' names, too; a list with another function in it is none of these.
TYPES_AND_UNITS = {*CAST_TYPES.values(), "array", "map", "struct", *GRANULARITIES, "dayofweek", "dayofyear"}
MOST = 2
ALLOWED: Mapping[str, str] = {
    "timeseries/bucket.py": "the grain over which each label of a time is constant; buckets know of no functions",
    "verify/times.py": "the law of each function of a time",
    "sql/expansion.py": "calls that are never TINYINT; the parsing of statements knows of no functions",
}


def lists(tree: ast.AST) -> Iterator[tuple[int, list[str]]]:
    """Yield the lists, sets, keys and texts in a source file, except docstrings, with the words in each."""
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple | ast.List | ast.Set):
            yield node.lineno, [word for item in node.elts for word in text(item)]
        elif isinstance(node, ast.Dict):
            yield node.lineno, [word for key in node.keys for word in text(key)]
        elif isinstance(node, ast.Constant) and id(node) not in told:
            yield node.lineno, " ".join(text(node)).split()


def listed(words: list[str]) -> bool:
    """Return whether these words are a list of functions, and not a sentence that contains their names."""
    named = NAMES.intersection(words)
    return len(named) > MOST and 2 * len(named) > len(words) and not named <= TYPES_AND_UNITS


def text(node: ast.AST | None) -> tuple[str, ...]:
    return (node.value,) if isinstance(node, ast.Constant) and isinstance(node.value, str) else ()


def test_only_the_registry_lists_functions() -> None:
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        place = str(path.relative_to(ROOT))
        if place.startswith("functions/") or place in ALLOWED:
            continue
        for line, words in lists(ast.parse(path.read_text())):
            if listed(words):
                found.append(f"{place}:{line}: {' '.join(words)[:80]}")
    assert not found


@pytest.mark.parametrize(
    "source", ["x = ('sum', 'min', 'max')", "x = {'sum': 1, 'min': 2, 'max': 3}", "x = 'sum min max'"]
)
def test_a_list_is_seen(source: str) -> None:
    tree = ast.parse(source)
    assert any(listed(words) for _, words in lists(tree))


def test_a_name_means_one_function() -> None:
    counted = Counter(name for record in FUNCTIONS.values() for name in (record.name, *record.synonyms))
    assert {name for name, times in counted.items() if times > 1} == set()
    assert all(meant(synonym) == record.name for record in FUNCTIONS.values() for synonym in record.synonyms)


def test_what_is_unprinted_is_a_synonym() -> None:
    assert all(set(record.unprinted) <= set(record.synonyms) for record in FUNCTIONS.values())


def test_partial_values_are_folded_by_aggregates_that_fold_themselves() -> None:
    folding = {record.combine for record in AGGREGATES.values() if record.combine}
    assert all(AGGREGATES[name].combine == name for name in folding)


def test_an_aggregate_is_folded_or_composed_but_not_both() -> None:
    assert not [record.name for record in AGGREGATES.values() if record.combine and record.composed]


def test_only_counts_sums_and_what_is_composed_of_these_are_linear() -> None:
    call = call_of("any", exp.column("x"))
    linear = {name: record.composed for name, record in AGGREGATES.items() if record.linear}
    parts = {name: made.components(call, ("int",)) for name, made in linear.items() if made is not None}
    assert linear.keys() - parts.keys() == {"count", "sum"}
    assert all({part.call.name for part in made.values()} == {"count", "sum"} for made in parts.values()), parts


@pytest.mark.parametrize("kind", ["double", "float"])
def test_what_is_summed_in_floating_point_is_not_exact(kind: str) -> None:
    summed = [record for record in AGGREGATES.values() if record.combine == "sum" and record.result is not None]
    assert summed
    inexact = [record for record in summed if record.result is not None and record.result((kind,)) in FRACTIONS]
    assert not [record.name for record in inexact if record.exact(kind)]
