"""README and docs are true: their settings are accepted, their statements parse, their make targets and files exist."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from typer.main import get_command

from proxy import config, demo
from proxy.__main__ import app, main
from proxy.answering.facts import SETTINGS
from proxy.answering.virtual_tables import calls
from proxy.commands import COMMANDS, find
from proxy.commands.create import Create
from proxy.commands.properties import ADOPT, SETTABLE
from rewriter import Kind, Reason, parse
from rewriter.model import Session
from rewriter.rules import DIVISIONS, RULES
from rewriter.script import read_script

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
REFERENCE = (ROOT / "docs" / "reference.md").read_text()
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
TASKS = "\n".join(page.read_text() for page in PAGES if page.name not in ("reference.md", "differences.md"))


def fenced(language: str) -> list[str]:
    """Return the code blocks in a language."""
    return re.findall(rf"```{language}\n(.*?)```", TASKS, re.DOTALL)


def statements() -> list[str]:
    """Return the SQL statements shown in a text."""
    return [s for block in fenced("sql") for s in (part.strip() for part in block.split(";")) if s and s[:2] != "--"]


def test_the_settings_are_accepted() -> None:
    catalog = '[catalog]\nname = "lake"\ntype = "sql"\nuri = "sqlite://"\n'
    for text in fenced("toml"):
        assert config.parse(text if "[catalog]" in text else text + catalog).upstreams


def test_the_engine_alone_answers_as_shown(capsys: pytest.CaptureFixture[str]) -> None:
    (code,) = (block for block in fenced("python") if "rewriter.script" in block)
    exec(code, {})
    shown = [line.split("  # ")[1] for line in code.splitlines() if "  # " in line]
    for printed, expected in zip(capsys.readouterr().out.splitlines(), shown, strict=True):
        assert printed.startswith(expected.split("…")[0])


def test_a_query_is_explained_as_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    section = (ROOT / "docs" / "explain-without-a-server.md").read_text()
    script, command, printed = re.findall(
        r"cat > shop\.sql <<END\n(.*?) {4}END\n {4}viewgate (explain [^\n]*)\n\n```\n(.*?)```", section, re.DOTALL
    )[0]
    (tmp_path / "shop.sql").write_text(script)
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(command)) == 0
    assert capsys.readouterr().out == printed


@pytest.mark.parametrize("sql", statements())
def test_the_statements_are_read(sql: str) -> None:
    assert find(sql) is not None or any(calls(sql)) or parse(sql, Session("lake", ("demo",))).tables


@pytest.mark.parametrize("beginning", sorted({words[0] for words in COMMANDS} - {"RESET", "DESC"}))
def test_every_statement_of_ours_is_listed(beginning: str) -> None:
    assert f"| `{beginning} " in TASKS


@pytest.mark.parametrize("target", sorted(set(re.findall(r"^ {4}make ([a-z]+)", TASKS, re.MULTILINE))))
def test_the_targets_exist(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`((?:proxy|rewriter|tests|docker)/[\w/.*]+)`", TASKS))))
def test_the_files_exist(path: str) -> None:
    assert list(ROOT.glob(path.rstrip("/"))), path


@pytest.mark.parametrize("sql", [sql for sql in statements() if isinstance(find(sql), Create)])
def test_the_examples_make_views_that_the_demo_has_not_made(sql: str) -> None:
    made = find(sql)
    assert isinstance(made, Create)
    assert made.name[-1] not in demo.STATEMENTS


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_links_lead_somewhere(page: Path) -> None:
    for file, anchor in re.findall(r"\]\(([\w/.-]+\.md)(?:#([\w-]+))?\)", page.read_text()):
        headings = re.findall(r"^##+ (.*)$", (page.parent / file).read_text(), re.MULTILINE)
        anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
        assert not anchor or anchor in anchors, f"{file}#{anchor}"


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 200


def test_the_first_view_of_the_readme_is_used() -> None:
    columns = "order_time TIMESTAMP, user_id STRING, sex STRING, country STRING, quantity INT, price BIGINT"
    create, query = re.findall(r"```sql\n(.*?;)\n\n(.*?);", README, re.DOTALL)[0]
    views = ";".join(view.replace("lake.demo", "demo") for view in demo.VIEWS)
    workspace = read_script(f"CREATE TABLE demo.sales ({columns}); {views}; {create}")
    assert "prices_by_sex" in workspace.explain(query).sql


def test_the_reference_lists_every_command() -> None:
    commands = get_command(app).commands.values()  # type: ignore[attr-defined]  # a group has some
    listed = re.findall(r"^\| `([\w-]+)[^`]*` \| [^|]* \| \d", REFERENCE, re.MULTILINE)
    assert listed == [command.name for command in commands if not command.hidden]


def test_the_reference_lists_every_reason() -> None:
    assert re.findall(r"^\| ([A-Z_]+) \|", REFERENCE, re.MULTILINE) == [str(reason) for reason in Reason]


@pytest.mark.parametrize("name", [*Kind, *(rule.__name__ for rule in (*RULES, *DIVISIONS))])
def test_the_reference_lists_every_way_of_a_refresh_and_every_rule(name: str) -> None:
    assert f"\n| {name} |" in REFERENCE


@pytest.mark.parametrize("name", [*SETTINGS, *SETTABLE, ADOPT])
def test_the_reference_lists_every_setting_of_a_session_and_property_of_a_view(name: str) -> None:
    assert f"| `{name}` |" in REFERENCE


def test_the_reference_shows_a_settings_file_as_the_program_has_it() -> None:
    (shown,) = re.findall(r"```toml\n(.*?)```", REFERENCE, re.DOTALL)
    lines = [line.strip() for line in (config.__doc__ or "").splitlines()[1:] if line.startswith("    ")]
    assert [line.strip() for line in shown.splitlines() if line.strip() and not line.startswith("#")] == lines


def keys_of(model: type[config.Table], name: str = "") -> Iterator[tuple[str, list[str]]]:
    """Yield the tables of the settings file, with the keys of each."""
    names = {str(field.validation_alias or key): field.annotation for key, field in model.model_fields.items()}
    if name:
        yield name, list(names)
    for key, annotation in names.items():
        for part in (annotation, *get_args(annotation)):
            if isinstance(part, type) and issubclass(part, config.Table):
                yield from keys_of(part, f"{name}.{key}" if name else key)


@pytest.mark.parametrize(("table", "keys"), [*keys_of(config.Config)])
def test_the_reference_lists_every_key(table: str, keys: list[str]) -> None:
    (row,) = re.findall(rf"^\| `\[{re.escape(table)}\]` \| (.*) \|$", REFERENCE, re.MULTILINE)
    assert re.findall(r"`(\w+)`", row) == keys
