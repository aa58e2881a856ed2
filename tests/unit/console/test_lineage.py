from __future__ import annotations

from typing import Any

import networkx as nx

from proxy.console.lineage import around, drawn, graph
from rewriter.model import MaterializedView, PlainView, TableName


def name(text: str) -> TableName:
    return TableName(("lake", "demo", text))


def view(text: str, query: str) -> MaterializedView:
    return MaterializedView(
        name(text), text, 1, query, query, name(f"{text}__storage"), (), "lake", ("demo",), settings={}
    )


def edges(*views: MaterializedView, plain: tuple[PlainView, ...] = ()) -> set[tuple[str, str]]:
    return {(source.table, target.table) for source, target in graph(views, plain).edges}


def test_names_are_read_as_they_are_written() -> None:
    recent = PlainView(name("recent"), "r", 1, "SELECT * FROM sales WHERE day > 1", (), "lake", ("demo",))
    found = edges(view("a", "SELECT 1 FROM recent JOIN other.t"), view("b", "SELECT 1 FROM a"), plain=(recent,))
    assert found == {("sales", "recent"), ("recent", "a"), ("t", "a"), ("a", "b")}
    kinds: Any = graph([view("a", "SELECT 1 FROM recent")], (recent,)).nodes(data="kind")
    assert {each.table: kind for each, kind in kinds} == {"sales": "table", "recent": "view", "a": "table"}


def test_a_view_whose_query_is_not_read_stands_alone() -> None:
    assert set(graph([view("a", "FROM sales SELECT 1")], ())) == {name("a")}


def test_what_is_around_a_view() -> None:
    found = graph([view("a", "SELECT 1 FROM t"), view("b", "SELECT 1 FROM a"), view("c", "SELECT 1 FROM u")], ())
    assert {each.table for each in around(found, name("a"))} == {"t", "a", "b"}


def test_no_box_lies_over_another_and_lines_go_to_the_right() -> None:
    names = [name(f"n{number:02}") for number in range(40)]
    found = nx.DiGraph((names[a], names[b]) for b in range(1, 40) for a in {b // 2, b // 3, b - 1} if a < b)
    picture = drawn(found)
    places = {node.name: (node.x, node.y) for node in picture.nodes}
    assert len(set(places.values())) == 40
    assert all(places[line.source][0] < places[line.target][0] for line in picture.lines)
    assert all(0 <= x < picture.width and 0 <= y < picture.height for x, y in places.values())


def test_nothing_is_drawn_of_nothing() -> None:
    assert drawn(nx.DiGraph()).nodes == []


def test_views_that_refer_to_each_other_are_drawn_in_one_column() -> None:
    plain = (
        PlainView(name("v"), "v", 1, "SELECT * FROM m JOIN v JOIN t", (), "lake", ("demo",)),
        PlainView(name("w"), "w", 1, "SELECT * FROM v", (), "lake", ("demo",)),
    )
    picture = drawn(graph([view("m", "SELECT 1 FROM w"), view("last", "SELECT 1 FROM m")], plain))
    columns = {node.name.table: node.x for node in picture.nodes}
    assert columns["t"] < columns["m"] == columns["v"] == columns["w"] < columns["last"]
    assert len({(node.x, node.y) for node in picture.nodes}) == 5
    assert len(picture.lines) == 6
