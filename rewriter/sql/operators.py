"""The binary operators, with the signs that Spark writes for them."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

Signs = Mapping[type[exp.Expr], str]

ARITHMETIC: Signs = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%"}
COMPARING: Signs = {exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
CONNECTING: Signs = {exp.And: "AND", exp.Or: "OR"}
