"""Spark's functions: one record for each, grouped by family; the registry looks them up.

`types` has the arithmetic of types, `results` the rules for the type of a result; `averages`, `moments` and `pairs` put
aggregates together from others.
"""
