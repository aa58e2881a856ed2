"""The binary operators of sqlglot's trees, with the signs by which Spark prints them."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

Signs = Mapping[type[exp.Expr], str]

ARITHMETIC: Signs = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%"}
COMPARING: Signs = {exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
CONNECTING: Signs = {exp.And: "AND", exp.Or: "OR"}
