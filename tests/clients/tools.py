"""Tools that contain a client and do more than run statements: dbt builds a project, Superset browses."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from tests.clients import environments
from tests.integration import clients

Answers = dict[str, Any]

_PROFILE = {"type": "spark", "method": "thrift", "host": "127.0.0.1", "user": "ann", "schema": "built", "threads": 2}
_BUILT = ("SELECT * FROM built.by_country ORDER BY 1", "SELECT * FROM built.large ORDER BY 1")
_UNDONE = ("DROP VIEW built.large", "DROP TABLE built.by_country", "DROP NAMESPACE built")


def by_dbt(port: int) -> Answers:
    """Return the results of `dbt debug`, `run`, another `run` over existing tables, and `test`, and the rows that they
    left.
    """
    profile = {"viewgate": {"target": "only", "outputs": {"only": {**_PROFILE, "port": port}}}}
    with tempfile.TemporaryDirectory() as name, clients.pyhive(port) as connection:
        folder = Path(name)
        (folder / "profiles.yml").write_text(json.dumps(profile))
        settings = {"DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "DBT_TARGET_PATH": name, "DBT_LOG_PATH": name}
        done: Answers = environments.answers("dbt", "build_project.py", folder, **settings)
        done |= {sql: clients.rows(connection, sql) for sql in _BUILT}
        for sql in _UNDONE:
            clients.rows(connection, sql)
    assert all(went_well for went_well, *_ in (done[step] for step in done if step not in _BUILT)), done
    return done


def by_superset(*ports: int) -> list[Answers]:
    """Return what Superset's engine spec for Hive finds at each port, and how SQL Lab shows some statements.

    The last port is asked once more with `viewgate.listings = hive`.
    """
    with tempfile.TemporaryDirectory() as name:
        config = str(environments.PROGRAMS / "superset_config.py")
        settings = {"SUPERSET_CONFIG_PATH": config, "SUPERSET_HOME": name}
        found: list[Answers] = environments.answers(
            "superset", "ask_superset.py", Path(name), *map(str, ports), **settings
        )
        return found
