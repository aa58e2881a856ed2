"""The console's pages in a real browser: at phone and desktop sizes, light and dark, by keyboard."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, expect

from proxy.authentication import Authentication
from proxy.config import CONSOLE_PORT
from proxy.hs2 import SqlError
from tests.integration.browser import chromium, violations, visitor
from tests.unit.catalog.lake import Lake
from tests.unit.commands.house import House
from tests.unit.console.site import furnish, visited
from tests.unit.console.test_pages import Known
from tests.unit.journal.stubs import session

LOOKS = [("phone", False), ("phone", True), ("desktop", False), ("desktop", True)]

# Where pictures are left to be looked at, if anywhere.
PICTURES = os.environ.get("VIEWGATE_PICTURES")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    lake = Lake(tmp_path)
    yield House(lake)
    lake.close()


def check(page: Page, name: str) -> None:
    """Check that a page has no accessibility violation, and nothing wider than the screen."""
    page.wait_for_load_state()  # a click does not wait for the style, without which sizes tell nothing
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"{name}.png", full_page=True)
    assert not violations(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_browser_opens_the_default_port(browser: Browser) -> None:
    """Browsers refuse some ports, 10080 among them, whatever listens there."""
    context, said = browser.new_context(), ""
    try:
        context.new_page().goto(f"http://127.0.0.1:{CONSOLE_PORT}/")
    except Error as error:  # the port may have no listener
        said = error.message
    context.close()
    assert "ERR_UNSAFE_PORT" not in said


@pytest.mark.parametrize(("size", "dark"), LOOKS)
def test_statements(browser: Browser, house: House, size: str, dark: bool) -> None:
    running = furnish(house)
    look = f"{size}-{'dark' if dark else 'light'}"
    with visited(house) as port, visitor(browser, size, dark=dark) as page:
        page.goto(f"http://127.0.0.1:{port}/")
        expect(page).to_have_title("Statements · Viewgate")
        expect(page.locator("tbody tr")).to_have_count(5)
        check(page, f"statements-{look}")
        page.get_by_role("link", name="From views 1").click()
        page.get_by_role("link", name="SELECT region, sum(amount)").click()
        expect(page.locator("mark")).to_have_text(["demo.sales", "GROUP BY region", "`lake`.`demo`.`agg__storage`"])
        check(page, f"statement-{look}")
        page.goto(f"http://127.0.0.1:{port}/statements?show=running")
        page.locator("a.sql").click()
        page.get_by_text("End this statement").click()
        check(page, f"running-{look}")
        page.get_by_role("button", name="End the statement").click()
        expect(page.locator("details[open]")).to_have_count(0)
        assert running.done


@pytest.mark.parametrize(("size", "dark"), LOOKS)
def test_views(browser: Browser, house: House, size: str, dark: bool) -> None:
    furnish(house)
    look = f"{size}-{'dark' if dark else 'light'}"
    with visited(house, views=True) as port, visitor(browser, size, dark=dark) as page:
        page.goto(f"http://127.0.0.1:{port}/views")
        expect(page.locator("tbody th a")).to_have_text(
            ["lake.demo.agg", "lake.demo.daily", "lake.demo.later", "lake.demo.top"]
        )
        check(page, f"views-{look}")
        page.get_by_role("link", name="lake.demo.agg", exact=True).click()
        expect(page.locator("h1")).to_have_text("lake.demo.agg")
        expect(page.get_by_text("Fresh for")).to_have_count(1)
        check(page, f"view-{look}")
        page.get_by_role("link", name="Dependencies", exact=True).click()
        expect(page.locator("svg .name")).to_have_text(
            ["demo.sales", "demo.agg", "demo.daily", "demo.top", "demo.later"]
        )
        expect(page.locator("svg path")).to_have_count(4)
        check(page, f"graph-{look}")
        page.locator("svg a").filter(has_text="demo.top").click()
        expect(page.locator("h1")).to_have_text("lake.demo.top")


@pytest.mark.parametrize(("size", "dark"), LOOKS)
def test_servers(browser: Browser, house: House, size: str, dark: bool) -> None:
    house.upstreams.places[1].problem = SqlError("Spark at spark-2:10000 cannot be reached", "08S01")
    for user in ("ann", "bob"):
        opened: Any = session(user)
        opened.upstream.attached = user == "ann"
        house.sessions.add(opened)
    with visited(house) as port, visitor(browser, size, dark=dark) as page:
        page.goto(f"http://127.0.0.1:{port}/servers")
        expect(page.locator("tbody tr")).to_have_count(4)
        check(page, f"servers-{size}-{'dark' if dark else 'light'}")


def test_a_login_by_keyboard(browser: Browser, house: House) -> None:
    house.context = replace(house.context, open_to_all=False)
    furnish(house)
    with visited(house, Authentication(Known())) as port, visitor(browser, "phone") as page:
        page.goto(f"http://127.0.0.1:{port}/statements?show=failed&q=bob")
        check(page, "login")
        page.get_by_label("User").focus()
        for text in ("bob", "Tab", "bob", "Enter"):
            page.keyboard.press(text) if text in ("Tab", "Enter") else page.keyboard.type(text)
        expect(page.locator("tbody tr")).to_have_count(1)  # of both, the one that the address asked for
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
        page.get_by_role("button", name="Log out").click()
        expect(page).to_have_title("Log in · Viewgate")
        page.go_back()
        expect(page).to_have_title("Log in · Viewgate")  # nothing was kept


def test_a_list_is_live_where_that_is_wanted(browser: Browser, house: House) -> None:
    with visited(house) as port, visitor(browser, "desktop") as page:
        page.clock.install()
        page.goto(f"http://127.0.0.1:{port}/statements")
        expect(page.locator("main")).to_contain_text("No statement has come yet")
        check(page, "empty")
        page.get_by_label("Live").check()
        furnish(house)
        page.locator("h1").click()
        page.clock.run_for(3000)
        expect(page.locator("tbody tr")).to_have_count(5)
