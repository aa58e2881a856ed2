"""Answers a query whose text equals the text of a view's query, even if its SQL is not supported otherwise."""

from __future__ import annotations

from rewriter.match import Ask, Match, Miss, Reason
from rewriter.match.access_path import stored
from rewriter.match.texts import TextQuestion, decides_by_floats, rewriting_of
from rewriter.sql import excerpt


def text_match(ask: Ask) -> Match | Miss:
    """Return a plan that reads the storage table in place of a query whose text equals the text of the view's query.

    Return a Miss if the texts differ, if an ORDER BY item is not an output, or if an outer query may filter by a
    floating-point output. `ask` has the query, the access path (the view with its storage table), and the mapping of
    the view's tables to the query's tables.

    law:    equal texts over the same tables return the same rows; a final ORDER BY is applied again
    view:   SELECT id, row_number() OVER (ORDER BY day, id) AS n FROM sales
    query:  SELECT count(*) FROM (SELECT id, row_number() OVER (ORDER BY day, id) AS n FROM sales) WHERE n < 10
    gives:  SELECT count(*) FROM (SELECT v.id, v.n FROM view AS v) WHERE n < 10
    no:     an outer filter on a floating-point output, because Iceberg skips files by statistics that treat NaN and
            -0.0 differently from Spark
    """
    question = ask.question
    if not isinstance(question, TextQuestion):
        return Miss(
            Reason.SHAPE,
            "the rule text_match is only for queries that contain unsupported SQL, and this query contains none",
            apart=True,
        )
    outputs = tuple(stored(column.name) for column in ask.path.storage.columns)
    rewriting = rewriting_of(question.query, question.whole, ask.path.storage, outputs)
    if rewriting is None:
        return Miss(
            Reason.SHAPE,
            f"{excerpt(question.query.tail)} cannot be applied to the view's rows: order by outputs of the query, and "
            "write LIMIT and OFFSET as integers",
        )
    deciding = decides_by_floats(question.query, question.statement, ask.path.storage)
    if deciding is not None:
        return Miss(Reason.FLOAT_COMPARED, deciding.name)
    return Match(rewriting)
