"""Decisions and storage of commit d88dfa3, frozen as data: what every later rewriter must still answer and read.

`decisions.txt.gz` holds a line for each golden case, each workload query and each of 20,000 seeds of the property
generator; `storage.jsonl.gz` a line for each view of the golden files and the workloads, as CREATE MATERIALIZED VIEW
stored it. Neither is written anew: a view that users have stored stays as it is, whatever the next release stores.
"""
