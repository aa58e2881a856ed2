"""Errors in a catalog's settings are reported on one line, before anything is created."""

from __future__ import annotations

import asyncio
import socket
from contextlib import nullcontext
from json import JSONDecodeError
from pathlib import Path

import pytest
from pydantic import ValidationError
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.catalog.rest import ConfigResponse
from pyiceberg.exceptions import NotInstalledError, RESTError, ServiceUnavailableError, UnauthorizedError
from sqlalchemy.exc import OperationalError

from proxy.catalog import CatalogError, Unavailable, open_catalog, open_catalogs, stores
from rewriter.model import Table
from tests.unit.catalog.lake import ROWS, SALES, Lake


def _invalid() -> ValidationError:
    """Return pyiceberg's error for a reply with status 200 that is not in JSON."""
    with pytest.raises(ValidationError) as raised:
        ConfigResponse.model_validate_json("<html>")
    return raised.value


@pytest.mark.parametrize(
    ("properties", "said"),
    [
        ({}, "type is missing: it must be sql, rest or hive"),
        (
            {"type": "glue"},
            "type is 'glue': it must be sql, rest or hive, because Viewgate reads views only from these catalogs",
        ),
        ({"type": "sql"}, 'uri is missing: set it, for example uri = "postgresql'),
        ({"type": "sql", "uri": "file"}, "uri is 'file': it must be a database URL such as postgresql"),
        ({"type": "sql", "uri": "nonsense://", "warehouse": "/nowhere"}, "catalog lake: nonsense:// cannot be opened"),
        (
            {"type": "sql", "uri": "postgresql://ann:pw@db:x/y"},
            "uri is 'postgresql://ann:***@db:x/y': it must be a database URL",
        ),
        (
            {"type": "sql", "uri": "ann:pw@127.0.0.1"},
            "uri is 'ann:***@127.0.0.1': it must be a database URL such as postgresql",
        ),
        ({"type": "rest", "uri": "http://[::1:80/?token=pw"}, "catalog lake: http://[::1:80/?*** cannot be opened"),
    ],
)
def test_refusals(properties: dict[str, str], said: str) -> None:
    with pytest.raises(CatalogError) as refused:
        open_catalog("lake", properties)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)
    assert "pw" not in str(refused.value)


def test_no_empty_catalog_is_made_where_spark_has_none(tmp_path: Path) -> None:
    with pytest.raises(
        CatalogError,
        match=r"there is no file .*catalog\.db that Viewgate's user can see: give the path of the file that Spark",
    ):
        open_catalog("lake", {"type": "sql", "uri": f"sqlite:///{tmp_path}/catalog.db"})
    assert not list(tmp_path.iterdir())


def test_a_file_that_viewgate_may_not_use_is_named(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(CatalogError, match=r"may not read the file .*catalog\.db: change the permissions"):
        open_catalog("lake", {"type": "sql", "uri": f"sqlite:///{lake.directory}/catalog.db"})


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (
            RESTError("RESTError 404: Received unexpected JSON Payload: <html>\nno</html>, errors: Invalid JSON: 1"),
            "the reply is HTTP 404, '<html> no</html>'; check uri, warehouse and the login in [catalog]",
        ),
        (_invalid(), "the reply is not that of an Iceberg REST catalog; check uri, warehouse and the login"),
        (RESTError("NotFoundException: no warehouse w"), "NotFoundException: no warehouse w; check uri, warehouse"),
    ],
)
def test_what_a_server_of_another_kind_replies_is_told_in_short(
    failure: Exception, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(name: str, **_: str) -> None:
        raise failure

    monkeypatch.setattr(stores, "load_catalog", load)
    with pytest.raises(CatalogError) as refused:
        open_catalog("lake", {"type": "rest", "uri": "https://catalog", "warehouse": "w"})
    assert f"https://catalog cannot be opened: {told}" in str(refused.value)


def test_a_database_that_does_not_answer_is_named_without_its_password() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(CatalogError) as refused:
        open_catalog("lake", {"type": "sql", "uri": f"postgresql+psycopg2://ann:secret@127.0.0.1:{port}/iceberg"})
    message = str(refused.value)
    assert f"postgresql+psycopg2://ann:***@127.0.0.1:{port}/iceberg cannot be opened: " in message
    assert "failed: Connection refused; check uri" in message
    assert "sqlalche" not in message
    assert "secret" not in message


def test_a_missing_driver_is_an_extra_of_our_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(name: str, **_: str) -> None:
        raise NotInstalledError("SQLAlchemy support not installed: pip install 'pyiceberg[sql-postgres]'")

    monkeypatch.setattr(stores, "load_catalog", load)
    with pytest.raises(CatalogError, match=r"pip install '\.\[postgres\]'"):
        open_catalog("lake", {"type": "sql", "uri": "postgresql://db/iceberg"})


def test_one_of_several_catalogs_may_be_down_at_the_start(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> None:
    lake.iceberg.create_table("demo.sales", ROWS.schema)
    down = True

    def loaded(name: str, **properties: str) -> Catalog:
        if down:
            raise ConnectionRefusedError("connection refused")
        return load_catalog(name, **properties)

    monkeypatch.setattr(stores, "load_catalog", loaded)
    properties = {"type": "sql", "uri": f"sqlite:///{lake.directory}/catalog.db"}
    with pytest.raises(CatalogError, match="type is 'glue'"):
        open_catalog("lake", {**properties, "type": "glue"}, late=True)

    async def story() -> None:
        nonlocal down
        opened = await open_catalogs({"lake": properties}, late=True)
        with pytest.raises(Unavailable, match=r"lake is unavailable since .* cannot be opened: connection refused"):
            await opened.current([SALES])
        down = False
        async with asyncio.timeout(60):
            while not opened["lake"].available:
                await asyncio.sleep(0.01)
        assert isinstance((await opened.current([SALES]))[SALES], Table)
        assert await opened.definitions() == ()
        opened.close()

    asyncio.run(story())


@pytest.mark.parametrize(
    ("failure", "permanent"),
    [
        (NotInstalledError("no driver"), True),
        (UnauthorizedError("NotAuthorizedException: wrong token"), True),
        (OperationalError("", {}, Exception('FATAL:  password authentication failed for user "ann"')), True),
        (OperationalError("", {}, Exception("FATAL:  the database system is starting up")), False),
        (OperationalError("", {}, Exception("connection refused")), False),
        (ServiceUnavailableError("the server is starting"), False),
        (JSONDecodeError("Expecting value", "<html>", 0), False),
    ],
)
def test_a_mistake_in_the_settings_of_one_of_several_catalogs_is_no_outage(
    failure: Exception, permanent: bool, lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load(name: str, **_: str) -> None:
        raise failure

    monkeypatch.setattr(stores, "load_catalog", load)

    async def story() -> None:
        properties = {"type": "sql", "uri": f"sqlite:///{lake.directory}/catalog.db"}
        catalog = open_catalog("lake", properties, late=True)
        try:
            with pytest.raises(CatalogError, match="catalog lake: ") if permanent else nullcontext():
                await catalog.open()
            assert catalog.available is permanent
        finally:
            catalog.close()

    asyncio.run(story())
