"""Operations: statements and metadata calls with a handle of Viewgate's; they answer the calls on that handle.

`remote` operations run on the upstream, `local` operations are answered by Viewgate, and `queued` operations wait until
they can become remote or local.

`run` implements a remote operation from its start to its end, and `remote` its result. `running` reports a running
operation to clients, `fallback` runs the original statement after a rewritten one fails, and `post_commit` runs the
refreshes after a write.
"""
