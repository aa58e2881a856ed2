"""Spark's functions and aggregates, with one record for each: its names, its type, and how it rolls up."""
