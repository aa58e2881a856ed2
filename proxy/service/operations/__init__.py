"""Operations: statements and metadata calls behind a handle of ours; they answer the calls on that handle.

There are three kinds: `remote` runs on the upstream, `local` is answered here, `queued` waits for its turn to become
one of the others.

Of a remote operation, `run` is the way from its start to its end, and `remote` its result. They have helpers: `running`
for what clients are told meanwhile, `fallback` for the client's own statement where a rewritten one fails,
`post_commit` for the refreshes behind a write.
"""
