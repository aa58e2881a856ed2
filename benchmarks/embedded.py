"""Writes the settings of a Viewgate with its own Spark, for the programs that start one."""

from __future__ import annotations

from pathlib import Path


def settings_file(folder: Path, data: Path, memory: str) -> Path:
    """Write `viewgate.toml` into a folder and return its path; make the data directory if it is missing.

    `memory` is that of Spark's driver, as in 6g. A relative `data` is relative to the current directory, not to the
    file.
    """
    data.mkdir(parents=True, exist_ok=True)
    settings = folder / "viewgate.toml"
    spark = f'"spark.driver.memory" = "{memory}"'
    settings.write_text(f'[embedded]\ndata = "{data.resolve()}"\n[embedded.spark]\n{spark}\n')
    return settings
