from __future__ import annotations

import pytest

from proxy.catalog.views import Unusable, fingerprint, is_materialized, materialized_view, plain_view
from rewriter.model import TableName
from tests.unit.catalog.lake import AGG, MATERIALIZED, view_document


def test_a_view_of_another_tool_is_its_own_storage_query() -> None:
    view = materialized_view(AGG, view_document(**MATERIALIZED))
    assert view.storage_query == view.query == "SELECT region, sum(amount) FROM sales GROUP BY region"
    assert (view.settings, view.rewrite, view.deferred) == (None, True, False)
    assert (view.catalog, view.namespace) == ("lake", ("demo",))
    assert [(c.name, c.type) for c in view.columns] == [("region", "string"), ("sum(amount)", "bigint")]


def test_our_properties_are_read() -> None:
    ours = {
        "viewgate.storage-query": "SELECT 1 AS a",
        "viewgate.definition": fingerprint("SELECT region, sum(amount) FROM sales GROUP BY region"),
        "viewgate.settings": '{"spark.sql.ansi.enabled":"true"}',
        "viewgate.rewrite": "off",
        "viewgate.refresh": "deferred",
        "comment": "by region",
    }
    view = materialized_view(AGG, view_document(2, **MATERIALIZED, **ours))
    assert (view.version, view.storage_query, view.comment) == (2, "SELECT 1 AS a", "by region")
    assert (view.rewrite, view.deferred, dict(view.settings or {})) == (False, True, {"spark.sql.ansi.enabled": "true"})


def test_a_storage_query_of_another_definition_is_not_used() -> None:
    ours = {"viewgate.storage-query": "SELECT 1 AS a", "viewgate.definition": fingerprint("SELECT 1 AS a")}
    with pytest.raises(Unusable, match="was replaced by an engine that does not support"):
        materialized_view(AGG, view_document(2, **MATERIALIZED, **ours))


@pytest.mark.parametrize(
    ("identifier", "storage"),
    [
        ("agg__storage", ("lake", "demo", "agg__storage")),
        ("other.agg__storage", ("lake", "other", "agg__storage")),
        ("lake.demo.agg__storage", ("lake", "demo", "agg__storage")),
        ("demo.`a.b``c`", ("lake", "demo", "a.b`c")),
    ],
)
def test_storage_identifiers(identifier: str, storage: tuple[str, ...]) -> None:
    properties = {**MATERIALIZED, "iceberg.materialized.view.storage.table": identifier}
    assert materialized_view(AGG, view_document(**properties)).storage == TableName(storage)


def test_the_older_names_of_the_properties() -> None:
    older = view_document(**{key.removeprefix("iceberg."): value for key, value in MATERIALIZED.items()})
    assert is_materialized(older)
    assert materialized_view(AGG, older).storage.table == "agg__storage"


def test_the_newer_pointer_in_the_version_wins() -> None:
    newer = view_document()
    newer["versions"][0]["storage-table"] = {"namespace": ["x"], "name": "s"}
    assert is_materialized(newer)
    assert materialized_view(AGG, newer).storage == TableName(("lake", "x", "s"))


def test_a_plain_view_is_its_query_and_what_its_names_mean() -> None:
    plain = plain_view(AGG, view_document())
    assert (plain.query, plain.session.namespace) == (
        "SELECT region, sum(amount) FROM sales GROUP BY region",
        ("demo",),
    )
    assert [(column.name, column.type) for column in plain.columns] == [("region", "string"), ("sum(amount)", "bigint")]


def test_a_plain_view_is_none() -> None:
    assert not is_materialized(view_document())
    assert not is_materialized(view_document(**{"iceberg.materialized.view": "false"}))


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("iceberg.materialized.view.storage.table", "", "names no storage table"),
        ("viewgate.settings", "{", "viewgate.settings is not valid JSON"),
    ],
)
def test_what_cannot_be_used_says_why(key: str, value: str, reason: str) -> None:
    with pytest.raises(Unusable, match=reason):
        materialized_view(AGG, view_document(**{**MATERIALIZED, key: value}))


def test_another_dialect_is_not_read() -> None:
    foreign = view_document(**MATERIALIZED)
    foreign["versions"][0]["representations"][0]["dialect"] = "trino"
    with pytest.raises(Unusable, match="dialect `spark`"):
        materialized_view(AGG, foreign)
