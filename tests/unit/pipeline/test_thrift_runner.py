from __future__ import annotations

import asyncio

import pytest

from proxy.hs2 import ResultSet, SqlError
from proxy.pipeline import ThriftRunner


class Session:
    def __init__(self) -> None:
        self.statements: list[str] = []
        self.closed = False

    async def query(self, sql: str) -> ResultSet:
        self.statements.append(sql)
        if sql == "fail":
            raise SqlError("[DIVIDE_BY_ZERO]", "22012")
        return ResultSet.of()

    async def close(self) -> None:
        self.closed = True


def run(session: Session, statement: str) -> None:
    async def opened() -> Session:
        return session

    async def story() -> None:
        async with ThriftRunner(opened).job({"spark.sql.session.timeZone": "UTC", "odd`key": "a;b"}) as job:
            await job.run(statement)
            assert not session.closed

    asyncio.run(story())


def test_a_job_has_its_settings_and_a_session_of_its_own_that_is_closed() -> None:
    session = Session()
    run(session, "SELECT 1")
    assert session.statements == ["SET `spark.sql.session.timeZone`=`UTC`", "SET `odd``key`=`a;b`", "SELECT 1"]
    assert session.closed


def test_the_session_is_closed_after_a_failure() -> None:
    session = Session()
    with pytest.raises(SqlError, match="DIVIDE_BY_ZERO"):
        run(session, "fail")
    assert session.closed
