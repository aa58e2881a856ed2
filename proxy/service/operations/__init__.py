"""Operations: statements and metadata calls with a handle of Viewgate's; they answer the calls on that handle.

There are three kinds: `remote` runs on the upstream, `local` is answered by Viewgate, and `queued` waits until it can
become one of the others.

For a remote operation, `run` implements the way from its start to its end, and `remote` its result. `running` reports a
running operation to clients, `fallback` runs the original statement after a rewritten one fails, and `post_commit` runs
the refreshes after a write.
"""
