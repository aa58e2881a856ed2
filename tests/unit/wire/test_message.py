from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TApplicationException, TMessageType
from thrift.transport.TTransport import TMemoryBuffer

from proxy.wire import (
    CALL,
    Fault,
    Head,
    Transport,
    application_exception,
    read_head,
    transport_of,
    with_seqid,
    write_head,
)


def test_heads_byte_by_byte_and_with_a_tail() -> None:
    data = write_head("GetInfo", CALL, -3)
    assert all(read_head(data[:length]) is None for length in range(len(data)))
    assert read_head(data + b"tail") == Head("GetInfo", CALL, -3, len(data))


def test_a_message_that_has_its_number_is_not_copied() -> None:
    message = write_head("FetchResults", CALL, 0) + b"rows"
    assert with_seqid(message, 0) is message
    assert with_seqid(message, 1) == write_head("FetchResults", CALL, 1) + b"rows"


def test_an_exception_is_what_thrift_reads() -> None:
    protocol = TBinaryProtocol(TMemoryBuffer(application_exception("GetLog", 9, Fault.UNKNOWN_METHOD, "no GetLog")))
    assert protocol.readMessageBegin() == ("GetLog", TMessageType.EXCEPTION, 9)
    error = TApplicationException()
    error.read(protocol)
    assert (error.type, error.message) == (TApplicationException.UNKNOWN_METHOD, "no GetLog")


def test_transports_by_first_byte() -> None:
    assert [transport_of(byte) for byte in b"\x01\x80PG\x16x"] == [
        Transport.SASL,
        Transport.NOSASL,
        Transport.HTTP,
        Transport.HTTP,
        Transport.TLS,
        None,
    ]
