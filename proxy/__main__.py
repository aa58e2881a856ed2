"""The command line, and the only place that wires objects together."""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import version
from pathlib import Path


def arguments() -> argparse.ArgumentParser:
    """What `viewgate` can be asked to do."""
    parser = argparse.ArgumentParser(prog="viewgate", description="A SQL proxy for Spark with materialized views.")
    parser.add_argument("--version", action="version", version=f"viewgate {version('viewgate')}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    serve = commands.add_parser("serve", help="listen for HiveServer2 clients until SIGTERM or Ctrl-C")
    serve.add_argument("--config", type=Path, metavar="FILE", help="settings in TOML; without: a Spark of its own")
    serve.add_argument("--port", type=int, help="default 10000; 0 takes a free one")
    serve.add_argument("--data", type=Path, metavar="DIR", help="where the Spark of its own keeps everything")
    serve.add_argument("--demo", action="store_true", help="make the demo tables and views if they are not there")
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run the command line; the process's exit code."""
    arguments().parse_args(argv)
    return 0


if __name__ == "__main__":
    sys.exit(main())
