"""One program for each question, each prints a table."""
