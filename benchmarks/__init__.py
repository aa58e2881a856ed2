"""The benchmarks: one program for each question; each prints a table."""
