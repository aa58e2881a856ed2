"""The known declarations of tables follow what is looked up."""

from __future__ import annotations

from dataclasses import replace

from rewriter.model import Column, Declared, ForeignKey, Table, TableName

SALES, DIM = (TableName(("lake", "demo", table)) for table in ("sales", "dim"))
KEY = ForeignKey(("dim_id",), DIM, ("id",))
SALES_NOW = Table(SALES, "s", (Column("dim_id", "int"),), (), foreign_keys=(KEY,))
DIM_NOW = Table(DIM, "d", (Column("id", "int"),), (), primary_key=("id",))


def test_what_is_looked_up_is_known_from_then_on() -> None:
    known = Declared().learned({SALES: SALES_NOW}).learned({DIM: DIM_NOW})
    columns = {SALES: SALES_NOW.columns, DIM: DIM_NOW.columns}
    assert (known.primary, known.references, known.columns) == ({DIM: ("id",)}, {SALES: frozenset({DIM})}, columns)
    assert known.learned({SALES: SALES_NOW, DIM: replace(DIM_NOW, records=7)}) is known


def test_what_has_changed_is_known_anew() -> None:
    known = Declared().learned({SALES: SALES_NOW, DIM: DIM_NOW})
    keyless = known.learned({DIM: replace(DIM_NOW, primary_key=())})
    assert (keyless.primary, keyless.columns) == ({}, known.columns)
    wider = known.learned({SALES: replace(SALES_NOW, columns=(*SALES_NOW.columns, Column("n", "int")))})
    assert [column.name for column in wider.columns[SALES]] == ["dim_id", "n"]
    assert known.learned({SALES: None}) == Declared({DIM: ("id",)}, {}, {DIM: DIM_NOW.columns})
    assert known.learned({TableName(("lake", "demo", "nothing")): None}) is known
