"""Random views and queries, each rewriting executed both ways."""
