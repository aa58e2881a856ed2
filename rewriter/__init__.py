"""The view matcher: which SQL over materialized views answers a statement as its own SQL would."""
