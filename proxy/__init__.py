"""Viewgate is a HiveServer2 proxy between clients and Spark Thrift Servers; it answers queries from materialized views.

Viewgate decodes the bytes of a client to messages, makes a plan for each statement in a message, and returns the
result. The packages:

    workers     several processes that share one port
    server      listens, reads bytes, passes each call to service, writes the reply
    console     web pages for operators, metrics and health, on a port of their own
    service     implements the Thrift calls: one file per call, registered in HANDLERS
    commands    the statements that Viewgate answers itself: CREATE, REFRESH, DROP, SHOW … MATERIALIZED VIEW
    answering   decides about all other statements: forward, or rewrite to read materialized views
    pipeline    refresh jobs on Spark
    upstream    connections to Spark Thrift Servers
    catalog     reads and commits of Iceberg metadata
    authentication   checks logins, and for which users a client may act
    journal     records of statements and refreshes, in memory, for SHOW VIEWGATE and metrics
    config      reads and checks the settings file
    session     sessions and operations, and their state transitions
    statements  classifies statements by their text; without I/O
    sql_types   Spark's types in the forms of Iceberg and JDBC; without I/O
    hs2         the structs and encodings of TCLIService; without I/O
    wire        encodes and decodes bytes as messages; without I/O

A package imports only packages below it in this list, and the public names of `rewriter`, which handles SQL and knows
nothing of the proxy. The import contracts in pyproject.toml enforce these rules.

`__main__` is the command line; `serving` and `composing` create the objects of the server and start it. The other
modules of this folder are used by these three modules; a package imports none of them but `ports` and `process`.
"""
