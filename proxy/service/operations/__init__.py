"""Operations: statements and metadata calls that have a handle made by Viewgate, and answer the calls on that handle.

`remote` operations run on the upstream, `local` operations are answered by Viewgate, and `queued` operations wait until
they can become remote or local.

`run` implements a remote operation from its start to its end, and `remote` adds the result. `running` reports a running
operation to clients, `fallback` runs the original statement after a rewritten statement fails, and `post_commit` runs
the refreshes after a write.
"""
