"""Operations: statements and metadata calls with a handle of Viewgate's; they answer the calls on that handle.

There are three kinds: `remote` runs on the upstream, `local` is answered here, and `queued` waits until it can become
one of the others.

For a remote operation, `run` implements the way from its start to its end, and `remote` its result. Helpers are
`running` for what clients are told of a running operation, `fallback` for the original statement after a rewritten one
fails, and `post_commit` for the refreshes after a write.
"""
