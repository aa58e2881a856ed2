import pytest

from proxy.hs2 import ResultSet, SqlError
from proxy.session import LEGAL, TERMINAL, ClientSession, Handle, LiveUpstream, OperationState, Sessions
from tests.unit.support.operations import Stub

S = OperationState


class Upstream:
    """An upstream that no test calls."""

    attached = saturated = False
    info: dict[int, bytes] = {}  # noqa: RUF012

    async def hold(self) -> LiveUpstream:
        raise AssertionError

    def let_go(self) -> None:
        raise AssertionError

    def keep(self, sql: str) -> None:
        raise AssertionError

    def pin(self) -> None:
        raise AssertionError

    async def query(self, sql: str) -> ResultSet:
        raise AssertionError

    async def close(self) -> None:
        raise AssertionError


def session(user: str = "bob") -> ClientSession:
    return ClientSession(user, 10, Upstream(), facts=None)


def test_handles_are_found_with_their_secret_by_their_principal_alone() -> None:
    sessions, mine = Sessions(), session()
    sessions.add(mine)
    assert sessions.find(Handle(mine.handle.guid, mine.handle.secret), "bob") is mine
    for handle, user in (
        (mine.handle, "eve"),
        (Handle(mine.handle.guid, bytes(16)), "bob"),
        (Handle(bytes(16), mine.handle.secret), "bob"),
        (Handle(b"", b""), "bob"),
    ):
        with pytest.raises(SqlError, match="Invalid SessionHandle") as raised:
            sessions.find(handle, user)
        assert raised.value.sql_state == "08003"


def test_a_removed_session_takes_its_operations_along() -> None:
    sessions, mine = Sessions(), session()
    sessions.add(mine)
    operation = Stub(mine, 0)
    sessions.add_operation(operation)
    assert sessions.find_operation(operation.handle, "bob") is operation
    assert sessions.running == 1
    assert sessions.remove(mine)
    assert not sessions.remove(mine)
    with pytest.raises(SqlError, match="Invalid OperationHandle"):
        sessions.find_operation(operation.handle, "bob")


def test_secrets_are_not_printed() -> None:
    handle = Handle.new()
    assert repr(handle.secret) not in repr(handle)
    assert len({Handle.new().id for _ in range(100)}) == 100


@pytest.mark.parametrize("end", sorted(TERMINAL))
def test_the_end_is_told_once_and_stays(end: OperationState) -> None:
    ended: list[bool] = []
    operation = Stub(session(), 0, ended.append)
    operation.advance(S.RUNNING)
    assert operation.completed_ms is None
    operation.advance(end, SqlError("no") if end is S.ERROR else None)
    completed = operation.completed_ms
    for late in (S.RUNNING, S.ERROR, S.CANCELED, S.FINISHED, S.CLOSED):
        operation.advance(late)
    assert ended == [end is S.FINISHED]
    assert operation.completed_ms == completed is not None
    assert (operation.error is not None) == (end is S.ERROR)
    assert operation.state is S.CLOSED


def test_the_table_of_transitions() -> None:
    assert set(LEGAL) == set(S) - {S.UNKNOWN}
    for state in TERMINAL:
        assert LEGAL[state] <= {S.CLOSED}
    assert all(state not in following for state, following in LEGAL.items())
