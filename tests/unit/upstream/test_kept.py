"""Statements replayed on another session restore its state, on a fake Spark."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from proxy.upstream.attachment import MOST_KEPT, Kept

CATALOGS = ("spark_catalog", "lake")
STATEMENTS = [
    *("USE lake", "USE spark_catalog", "USE a", "USE b", "USE lake.a", "SET CATALOG lake", "/* to */ USE b"),
    *("SET x = 1", "SET x = 2", "SET y = ${x}", "SET y = ${x}${y}", "RESET x", "RESET", "SET x", "SET"),
]


class Spark:
    """The settings and the namespace of one session."""

    def __init__(self) -> None:
        self.settings: dict[str, str] = {}
        self.catalog, self.namespace = "spark_catalog", "default"

    def run(self, sql: str) -> None:
        sql = re.sub(r"/\*.*\*/", "", sql)
        sql = re.sub(r"\$\{(\w)\}", lambda found: self.settings.get(found[1], ""), sql)
        verb, _, rest = sql.strip().partition(" ")
        if verb == "RESET":
            kept = {key: value for key, value in self.settings.items() if rest and key != rest}
            self.settings = kept
        elif verb == "USE" or rest.startswith("CATALOG "):
            self._use(rest.removeprefix("CATALOG ").replace("`", "").split("."))
        elif " = " in rest:
            key, _, value = rest.partition(" = ")
            self.settings[key] = value[:9]

    def _use(self, names: list[str]) -> None:
        assert all(names)
        if names[0] in CATALOGS:
            if names[0] != self.catalog:
                self.catalog, self.namespace = names[0], "default" if names[0] == "spark_catalog" else ""
            names = names[1:]
        if names:
            self.namespace = ".".join(names)

    @property
    def state(self) -> object:
        return self.settings, self.catalog, self.namespace


def ran(texts: list[str] | tuple[str, ...]) -> Spark:
    spark = Spark()
    for sql in texts:
        spark.run(sql)
    return spark


@given(st.lists(st.sampled_from(STATEMENTS), max_size=12), st.lists(st.sampled_from(STATEMENTS), max_size=4))
def test_what_is_kept_leads_to_the_same_state(before: list[str], behind: list[str]) -> None:
    kept = Kept()
    for sql in before:
        kept.add(sql)
    assert ran(kept.texts).state == ran(before).state
    if kept.moves:
        spark = ran(before)
        assert kept.settle(kept.texts, spark.catalog, spark.namespace)
    for sql in behind:
        kept.add(sql)
    assert ran(kept.texts).state == ran([*before, *behind]).state


def test_the_same_again_is_kept_once() -> None:
    kept = Kept()
    for _ in range(100):
        for sql in ("USE a", "SET x = 1", "SET y = 2"):
            kept.add(sql)
    assert len(kept.texts) == 3
    assert len(kept.texts) <= MOST_KEPT


def test_where_it_was_counts_for_nothing_if_something_has_come_in_between() -> None:
    kept = Kept()
    kept.add("USE a")
    assert not kept.settle(("USE b",), "lake", "b")
    assert kept.texts == ("USE a",)
