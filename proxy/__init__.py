"""Viewgate is a HiveServer2 proxy: clients connect to it as to Spark Thrift Server, and it sends statements on to one.

Bytes become messages, messages become statements, statements become plans; each step is one package:

    workers     several processes on one port, where one is not enough
    server      listens, reads bytes, hands each call to service, writes the reply; the edge that awaits
    console     pages for operators, metrics and health over HTTP, on a port of their own
    service     what each Thrift call means: one file per call, enrolled in HANDLERS
    commands    the statements that Viewgate answers itself: CREATE, REFRESH, DROP, SHOW … MATERIALIZED VIEW
    answering   what is to be done with a statement: forward it, rewrite it, answer it
    pipeline    refresh jobs on Spark
    upstream    Spark Thrift Server as we see it        catalog   Iceberg as we see it
    authentication   who a client is, and for whom it may act
    journal     what happened: each statement, in memory, for SHOW VIEWGATE and metrics
    session     sessions, operations, their legal transitions
    statements  what a statement's own words tell, read once for each text: pure
    sql_types   Spark's types in the forms of Iceberg and JDBC: pure
    hs2         TCLIService's vocabulary: pure           wire      bytes to messages and back: pure

`__main__`, the command line, `serving` and `composing` start everything and wire the objects together; the other
modules of this folder are used only by them.
A package imports only from packages below it in this list, and from `rewriter`, which knows SQL but nothing of the
proxy, by its public names. The import contracts in pyproject.toml enforce that.
"""
