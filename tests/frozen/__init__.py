"""The decisions and the storage of commit d88dfa3, frozen as data that every later rewriter must still answer and read.

`decisions.txt.gz` has a line for each golden case, each workload query and each of 20,000 seeds of the property
generator; `storage.jsonl.gz` has a line for each view of the golden files and the workloads, as CREATE MATERIALIZED
VIEW stored it. Neither file is ever regenerated: a view that users have stored stays as it is, whatever the next
release would store.
"""
