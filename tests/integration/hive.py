"""A Hive Metastore for a test: of Spark's own libraries, over an embedded Derby database, on loopback."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

from proxy import jars
from tests.integration import clients

# Spark's properties of the catalog, beside its uri.
SPARK_CATALOG = {"type": "hive"}


@contextmanager
def hive_metastore(folder: Path, port: int) -> Iterator[str]:
    """Yield the uri of a running metastore at a port; its databases have their files in the folder."""
    system = {
        "javax.jdo.option.ConnectionURL": f"jdbc:derby:{folder}/metastore;create=true",
        "datanucleus.schema.autoCreateAll": "true",
        "datanucleus.connectionPoolingType": "HikariCP",
        "hive.metastore.schema.verification": "false",
        "hive.metastore.warehouse.dir": f"file:{folder}/warehouse",
        "derby.stream.error.file": f"{folder}/derby.log",
    }
    options = [f"-D{key}={value}" for key, value in system.items()]
    machine = clients.JavaMachine(os.pathsep.join((str(clients.LIBRARIES / "*"), *map(str, jars.ensure()))), options)
    try:
        hive, thrift = machine.jvm.org.apache.hadoop.hive, machine.jvm.org.apache.thrift
        configuration = hive.conf.HiveConf()
        hive.metastore.txn.TxnDbUtil.prepDb(configuration)  # the tables of locks
        handler = hive.metastore.HiveMetaStore.HMSHandler("viewgate", configuration)
        address = machine.jvm.java.net.InetSocketAddress("127.0.0.1", port)
        arguments = (
            machine.jvm.org.apache.thrift.server.TThreadPoolServer.Args(thrift.transport.TServerSocket(address))
            .processor(hive.metastore.TSetIpAddressProcessor(handler))
            .transportFactory(thrift.transport.TTransportFactory())
            .protocolFactory(thrift.protocol.TBinaryProtocol.Factory())
            .stopTimeoutVal(0)  # Spark's client never closes its connection
        )
        server = thrift.server.TThreadPoolServer(arguments)
        serving = Thread(target=server.serve, daemon=True)
        serving.start()
        yield f"thrift://127.0.0.1:{port}"
        server.stop()
        serving.join()
    finally:
        machine.stop()
