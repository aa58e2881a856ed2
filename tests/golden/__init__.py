"""The golden corpus: SQL cases, each executed both ways."""
