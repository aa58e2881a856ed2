"""Spark's functions: one record for each, grouped by family; `registry` looks them up by name.

`types` has the arithmetic of types, `results` the rules for result types; `averages`, `moments` and `pairs` compute
aggregates from other aggregates.
"""
