"""The golden corpus: SQL cases with expected decisions, each executed with and without views."""
