"""Debian's Chromium under Playwright, and axe, which finds accessibility violations."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from proxy import jars
from tests.integration import debian

_AXE = Path(__file__).parent / "axe"  # its version, with a checksum
_SIZES = {"phone": {"width": 390, "height": 844}, "desktop": {"width": 1280, "height": 800}}


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless browser."""
    name = "chromium-headless-shell"
    packages = debian.packages([name], [name, "fonts-dejavu-core"])
    program = next(packages.root.glob(f"usr/lib/chromium/{name}"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, env=dict(packages.environment))
        yield browser
        browser.close()


@contextmanager
def visitor(browser: Browser, size: str, *, dark: bool = False, **options: Any) -> Iterator[Page]:
    """A page of this size; console errors and failed loads fail the test."""
    context = browser.new_context(
        viewport=_SIZES[size],  # type: ignore[arg-type]
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
        timezone_id="UTC",
        **options,
    )
    page, said = context.new_page(), list[str]()
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.on("requestfailed", lambda request: said.append(f"{request.url}: {request.failure}"))
    yield page
    context.close()
    said = [text for text in said if not text.endswith("net::ERR_ABORTED")]  # of a page that was left before
    assert not said, said


def violations(page: Page) -> list[str]:
    """Return the violations that axe finds, each with its rule and element."""
    # Run by the debugger, the script is not subject to what the page allows.
    page.evaluate(_axe().read_text())
    found = page.evaluate("axe.run({resultTypes: ['violations', 'incomplete']})")
    return [f"{one['id']}: {node['html']}: {node['failureSummary']}"
            for one in found["violations"] for node in one["nodes"]]  # fmt: skip


def _axe() -> Path:
    """Return axe's script, which npm fetches once and checks."""
    folder = jars.directory() / "axe"
    script = folder / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        folder.mkdir(parents=True, exist_ok=True)
        for file in _AXE.glob("*.json"):
            shutil.copy(file, folder)
        done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder,
                              capture_output=True, text=True, check=False)  # fmt: skip
        assert done.returncode == 0, f"axe could not be fetched: {done.stdout}{done.stderr}"
    return script
