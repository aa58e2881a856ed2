"""Spark's types and aggregates, below blocks: type arithmetic, and averages, variances and regressions from sums."""
