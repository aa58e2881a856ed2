"""Which views `viewgate refresh` refreshes, in which order, and with which exit code it ends."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from proxy import __main__ as program
from proxy import refreshing
from proxy.catalog import Catalogs
from proxy.config import ConfigError
from proxy.hs2 import SqlError
from proxy.options import Selection
from proxy.refreshing import SOME_FAILED, Result, exit_code, refresh
from rewriter.model import TableName
from tests.unit.catalog.lake import ROWS, Lake
from tests.unit.pipeline.retained import Retained
from tests.unit.pipeline.test_on_commit import (
    FIRST,
    SECOND,
    House,
    make_unreadable,
    put_over_another_catalog,
    put_over_first,
)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    lake = Lake(tmp_path)
    yield House(lake)
    lake.close()


def run(house: House, wanted: Selection) -> tuple[int, list[str]]:
    said: list[str] = []
    results = asyncio.run(refresh(house.catalogs, house.pipeline, wanted, said.append))
    return exit_code(results), [
        line.split(" in ")[0] for line in said if "refreshed: " in line or "fresh" in line.split(" ", 1)[1]
    ]


def test_all(house: House) -> None:
    house.sales.append(ROWS)
    code, said = run(house, Selection())
    assert code == 0
    assert [line for line in said if "refreshed: " in line] == [
        "lake.demo.first refreshed: 4 rows",
        "lake.demo.second refreshed: 4 rows",
    ]


def test_a_view_over_a_catalog_that_is_not_in_the_settings_is_left_alone_unless_it_is_named(house: House) -> None:
    put_over_another_catalog(house, SECOND)
    house.sales.append(ROWS)
    said: list[str] = []
    for wanted in (Selection(), Selection(stale=True)):
        first, second = asyncio.run(refresh(house.catalogs, house.pipeline, wanted, said.append))
        assert (first.outcome, second.outcome) == ("fresh" if wanted.stale else "refreshed", "skipped")
        assert second.says in said
        assert second.says.startswith("lake.demo.second is left alone: the view reads shop.demo.regions")
        assert exit_code([first, second]) == 0
    (named,) = asyncio.run(refresh(house.catalogs, house.pipeline, Selection(("demo.second",)), said.append))
    assert named.outcome == "failed"


def test_views_of_a_catalog_that_is_down_have_failed(house: House, tmp_path: Path) -> None:
    def refuse() -> None:
        raise ConnectionRefusedError("connection refused")

    said: list[str] = []

    async def story() -> tuple[list[Result], list[Result], list[Result]]:
        shop = Lake(tmp_path / "shop", "shop")
        down = shop.catalog()
        down._store.views = down._reach._probe = refuse  # type: ignore[assignment, method-assign]
        catalogs = Catalogs([house.lake.catalog(), down])
        every = await refresh(catalogs, house.pipeline, Selection(), said.append)
        named = await refresh(catalogs, house.pipeline, Selection(("shop.demo.x", "demo.first")), print)
        short = await refresh(catalogs, house.pipeline, Selection(("demo.x", "demo.first")), said.append)
        with pytest.raises(ConfigError, match=r"lake\.demo\.x cannot be refreshed: the view does not exist"):
            await refresh(catalogs, house.pipeline, Selection(("lake.demo.x",)), print)
        catalogs.close()
        return every, named, short

    every, named, short = asyncio.run(story())
    assert [(result.view, result.outcome) for result in every] == [
        ("shop.*", "failed"),
        ("lake.demo.first", "refreshed"),
        ("lake.demo.second", "refreshed"),
    ]
    assert "the catalog shop is unavailable since" in every[0].says
    assert exit_code(every) == 3
    assert [result.outcome for result in named] == ["failed", "refreshed"]
    assert named[0].says.startswith("shop.demo.x could not be refreshed: the catalog shop is unavailable since")
    assert [(result.view, result.outcome) for result in short] == [
        ("demo.x", "failed"),
        ("lake.demo.first", "refreshed"),
    ]
    assert short[0].says.startswith("demo.x could not be refreshed: the catalog shop is unavailable since")
    assert "the catalog shop is unavailable" in said
    assert said[-1] == "1 of 2 views could not be refreshed"


def test_a_name_without_catalog_must_be_that_of_one_view() -> None:
    views = [TableName((catalog, "demo", "daily")) for catalog in ("lake", "shop")]
    with pytest.raises(ConfigError, match=r"lake\.demo\.daily and shop\.demo\.daily have this name"):
        refreshing._chosen(views, ["demo.daily"], ("lake", "shop"), {})
    assert refreshing._chosen(views, ["shop.demo.daily"], ("lake", "shop"), {}) == ({views[1]}, {})


@pytest.fixture
def log(house: House, monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Make the command refresh the views of the house, and return its log."""

    async def surround(*_: object) -> SimpleNamespace:
        return SimpleNamespace(catalogs=house.catalogs, runner=house.spark)

    monkeypatch.setattr(refreshing, "surround", surround)
    monkeypatch.setattr("proxy.embedded.has_data", lambda _: True)
    written = io.StringIO()
    handlers = [logging.StreamHandler(written)]
    # Only when the command begins: pytest adds handlers of its own before the test, which must not be filtered.
    monkeypatch.setattr(program, "begin_log", lambda: monkeypatch.setattr(logging.getLogger(), "handlers", handlers))
    return written


def test_results_for_programs(log: io.StringIO, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["refresh", "--all", "--json"]) == 0
    said = capsys.readouterr()
    assert [(view["view"], view["outcome"]) for view in json.loads(said.out)] == [
        ("lake.demo.first", "refreshed"),
        ("lake.demo.second", "refreshed"),
    ]
    assert "lake.demo.first refreshed: " in said.err


def test_neither_the_log_nor_the_output_has_a_credential(
    house: House, log: io.StringIO, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    async def fail() -> None:
        raise SqlError("no login at jdbc:postgresql://ann:opensesame@db/x for 'Smith'", "08001")

    house.spark.before_insert = fail
    (tmp_path / "viewgate.toml").write_text("[journal]\nliterals = false\n")
    assert program.main(["refresh", "--all", "--config", str(tmp_path / "viewgate.toml")]) == SOME_FAILED
    assert "lake.demo.first could not be refreshed: no login at jdbc:postgresql://ann:***@" in capsys.readouterr().out
    assert "refresh failed view=lake.demo.first" in log.getvalue()
    for hidden in ("opensesame", "Smith"):
        assert hidden not in log.getvalue()


def test_by_name_with_or_without_the_catalog(house: House) -> None:
    for name in ("demo.second", "lake.demo.second"):
        code, said = run(house, Selection((name,), full=True))
        assert code == 0
        assert [line.split(" ")[0] for line in said if "refreshed: " in line] == ["lake.demo.second"]


def test_what_is_fresh_is_left_alone(house: House) -> None:
    run(house, Selection(("demo.first",)))
    code, said = run(house, Selection(stale=True))
    assert code == 0
    assert said[0] == "lake.demo.first is fresh"
    assert said[-1].startswith("lake.demo.second refreshed: ")


def test_what_a_policy_no_longer_keeps_is_not_left_alone(tmp_path: Path) -> None:
    lake = Lake(tmp_path)
    retained = Retained(lake)
    said: list[str] = []
    results = asyncio.run(refresh(retained.catalogs, retained.pipeline, Selection(stale=True), said.append))
    assert exit_code(results) == 0
    assert retained.part().startswith("day >= DATE '20")
    lake.close()


def test_one_failure_is_told_by_the_exit_code_and_stops_no_other(house: House) -> None:
    async def fail_once() -> None:
        house.spark.before_insert = None
        raise SqlError("[DIVIDE_BY_ZERO] Division by zero", "22012")

    house.spark.before_insert = fail_once
    said: list[str] = []
    results = asyncio.run(refresh(house.catalogs, house.pipeline, Selection(), said.append))
    assert exit_code(results) == SOME_FAILED
    assert [result.outcome for result in results] == ["failed", "refreshed"]
    failed = "lake.demo.first could not be refreshed: [DIVIDE_BY_ZERO] Division by zero"
    assert any(line.startswith(failed) for line in said)
    assert any(line.startswith("lake.demo.second refreshed: ") for line in said)


@pytest.mark.parametrize("stale", [False, True])
def test_a_view_that_cannot_be_looked_at_stops_no_other(
    house: House, monkeypatch: pytest.MonkeyPatch, stale: bool
) -> None:
    make_unreadable(house, FIRST, monkeypatch)
    said: list[str] = []
    results = asyncio.run(refresh(house.catalogs, house.pipeline, Selection(stale=stale), said.append))
    assert exit_code(results) == SOME_FAILED
    assert "lake.demo.first could not be refreshed: the catalog is away" in said
    assert any(line.startswith("lake.demo.second refreshed: ") for line in said)


A_UPPER = TableName(("lake", "demo", "a_upper"))


def test_each_after_those_that_it_reads(house: House) -> None:
    house.sales.append(ROWS)
    put_over_first(house, A_UPPER)
    house.lake.drop_view(SECOND)
    _, said = run(house, Selection())
    done = [line.split(" ")[0] for line in said if " refreshed: " in line]
    assert done == ["lake.demo.first", "lake.demo.a_upper"]


def test_a_failure_stops_what_stands_on_it(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    put_over_first(house, A_UPPER)
    make_unreadable(house, FIRST, monkeypatch)
    said: list[str] = []
    wanted = Selection(("demo.first", "demo.a_upper"))
    results = asyncio.run(refresh(house.catalogs, house.pipeline, wanted, said.append))
    assert [result.outcome for result in results] == ["failed", "stopped"]
    stopped = "lake.demo.a_upper was not refreshed, because it reads lake.demo.first, which could not be refreshed"
    assert said[1:] == [stopped, "2 of 2 views could not be refreshed"]


ODD = TableName(("lake", "demo", "odd"))
UNUSABLE = "lake.demo.odd could not be refreshed: the view's metadata cannot be read: "


@pytest.mark.parametrize("wanted", [Selection(), Selection(stale=True), Selection(("demo.odd", "lake.demo.first"))])
def test_a_view_with_unreadable_metadata_is_a_failure(house: House, wanted: Selection) -> None:
    house.lake.put_view(ODD, b"no json")
    said: list[str] = []
    results = asyncio.run(refresh(house.catalogs, house.pipeline, wanted, said.append))
    assert exit_code(results) == SOME_FAILED
    assert {result.view: result.outcome for result in results}["lake.demo.odd"] == "failed"
    (line,) = (line for line in said if line.startswith(UNUSABLE))
    assert line.endswith("restore the metadata, or remove the view: DROP MATERIALIZED VIEW lake.demo.odd")
    assert any(line.startswith("lake.demo.first refreshed: ") for line in said)
    assert said[-1] == f"1 of {len(results)} views could not be refreshed"


def test_an_unreadable_view_is_chosen_by_its_whole_name_only(house: House) -> None:
    house.lake.put_view(ODD, b"no json")
    results = asyncio.run(refresh(house.catalogs, house.pipeline, Selection(("demo.first",)), print))
    assert [result.view for result in results] == ["lake.demo.first"]
    with pytest.raises(ConfigError, match=r"view dd cannot be refreshed: the view does not exist; .* lake\.demo\.odd"):
        run(house, Selection(("dd",)))


def test_a_name_that_is_not_there(house: House) -> None:
    with pytest.raises(
        ConfigError,
        match=(
            r"materialized view nope cannot be refreshed: the view does not exist; the existing views are "
            r"lake\.demo\.first, "
        ),
    ):
        run(house, Selection(("nope",)))


def test_nothing_to_refresh_is_said_before_anything_is_started(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["refresh"]) == 1
    assert "name the views to refresh, or give --all or --stale" in capsys.readouterr().err
    assert program.main(["refresh", "--all", "shop.daily"]) == 1
    assert "the names of views and --all exclude each other" in capsys.readouterr().err
    assert program.main(["refresh", "--stale", "--where", "n > 1", "shop.daily"]) == 1
    assert "--where and --stale exclude each other: remove one of them" in capsys.readouterr().err
    assert program.main(["refresh", "--all", "--where", "n > 1"]) == 1
    assert "--where is only for named views: name the views to refresh, instead of --all" in capsys.readouterr().err


def test_a_directory_without_data_starts_no_spark_and_is_left_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert program.main(["refresh", "--stale"]) == 1
    assert ".viewgate contains no data of Viewgate" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
