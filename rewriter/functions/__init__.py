"""Spark's functions: one record for each, by family, of which everything else asks the registry.

`types` has the arithmetic of types, `results` the rules for the type of a result; `averages`, `moments` and `pairs` put
aggregates together from others.
"""
