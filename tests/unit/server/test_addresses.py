"""IPv6 addresses, and the address that stands for all addresses of both versions."""

from __future__ import annotations

import asyncio

import pytest

from proxy.config import ConfigError, Listen
from proxy.ports import bound, refuse_taken_port, reserved
from proxy.server import Server
from tests.unit.support.proxied import Proxied, RawClient, with_proxy


@pytest.mark.parametrize("shared", [False, True])
def test_two_colons_take_clients_of_both_versions(shared: bool) -> None:
    async def test(proxied: Proxied) -> None:
        with reserved(Listen(host="::", port=0)) as kept:
            server = Server(proxied.server._entrance, "::", kept if shared else 0, shared=shared)
            port = await server.start()
            async with RawClient(port) as client:
                assert await client.open_session()
            _, writer = await asyncio.open_connection("::1", port)
            writer.close()
            await server.stop()

    with_proxy(test)


def test_an_address_of_ipv6_is_that_alone() -> None:
    with bound("::1", 0) as place:
        place.listen()
        port = place.getsockname()[1]
        refuse_taken_port(Listen(host="127.0.0.1", port=port))
        with pytest.raises(ConfigError, match=f"cannot listen on port {port} of ::1: "):
            refuse_taken_port(Listen(host="::1", port=port))
