"""Records of Spark's functions: names, result types, and how rewriting may use each function.

Each family of functions has a module of records; `registry` looks records up by name. `types` has the arithmetic of
Spark's types, `results` the rules for result types. `averages`, `moments` and `pairs` compute aggregates such as avg()
and stddev() from sums and counts.
"""
