"""The Java libraries of the embedded Spark that no Python package contains: pinned versions, fetched once.

    python -m proxy.jars        # fetches the missing libraries; `make setup` and `viewgate serve` do the same

The Ivy in the pyspark package fetches the libraries from Maven Central, and their checksums are verified. The libraries
must be on the class path before the JVM starts, because the handler threads of Spark's Thrift Server do not see
libraries added by `spark.jars.packages`.
"""

from __future__ import annotations

import hashlib
import logging
import shutil
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from proxy import preflight
from proxy.children import Children

_log = logging.getLogger("viewgate")


@dataclass(frozen=True)
class Jar:
    """One file in Maven Central, with its SHA-256 checksum.

    >>> Jar("org.xerial", "sqlite-jdbc", "3.0", "").file
    'sqlite-jdbc-3.0.jar'
    """

    group: str
    artifact: str
    version: str
    sha256: str
    classifier: str = ""

    @property
    def file(self) -> str:
        return f"{self.artifact}-{self.version}{self.classifier and '-' + self.classifier}.jar"


ICEBERG = Jar(
    "org.apache.iceberg",
    "iceberg-spark-runtime-4.1_2.13",
    "1.12.0",
    "3123c3798af642dd537230923548e013ef41cc28b6626e5225808cf5670a0f82",
)
SQLITE = Jar(
    "org.xerial", "sqlite-jdbc", "3.54.1.0", "f8dce420a6016278497f4f0560f65602b9db858de141b541cf91a4644ebe4639"
)
POSTGRES = Jar(  # as in docker/spark/Dockerfile
    "org.postgresql", "postgresql", "42.7.14", "73914527305a40cce504b0d3d90b23caf565136912d607ae8ae7c5895512332c"
)
EMBEDDED = (ICEBERG, SQLITE)


class Unfetched(Exception):
    """The error raised if a library cannot be fetched; the message has the library, the reason and the remedy."""


def directory() -> Path:
    """Return the directory of the fetched libraries: in the virtual environment, else in the user's cache."""
    if sys.prefix != sys.base_prefix:
        return Path(sys.prefix, "share", "viewgate")
    return Path.home() / ".cache" / "viewgate"


def ensure(
    jars: Iterable[Jar] = EMBEDDED, into: Path | None = None, children: Children | None = None
) -> tuple[Path, ...]:
    """Fetch the missing libraries into the directory `into`, and return the paths of all `jars`.

    None as `into` stands for the default directory. The download is one of the processes `children`. Raise Unfetched if
    a library cannot be fetched, Missing if Java or pyspark, which run the download, are missing, and Stopped if the
    processes are stopped; nothing is kept of a download that was stopped.
    """
    folder = directory() if into is None else into
    folder.mkdir(parents=True, exist_ok=True)
    wanted = tuple(jars)
    # A file gets its name only after its checksum was verified, so that its presence is enough at later starts.
    if missing := [jar for jar in wanted if not (folder / jar.file).exists()]:
        _fetch(missing, folder, children or Children())
    return tuple(folder / jar.file for jar in wanted)


def _fetch(jars: Sequence[Jar], folder: Path, children: Children) -> None:
    _log.info("fetching %s", ", ".join(jar.file for jar in jars))
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        answer = _ivy(jars, Path(scratch), children)
        for jar in jars:
            _keep(jar, Path(scratch, "jars", jar.file), folder, answer)


def _keep(jar: Jar, found: Path, folder: Path, answer: str) -> None:
    """Verify the checksum of `found`, the fetched file of a library, and move the file to the folder of the libraries.

    Raise Unfetched, with the end of Ivy's output `answer`, if the file is missing, or if the checksum differs.
    """
    if not found.exists():
        raise Unfetched(
            f"{jar.file} could not be fetched: {answer[-500:].strip()}. Check the network, or put the file "
            f"(sha256 {jar.sha256}) into {folder} yourself"
        )
    actual = hashlib.sha256(found.read_bytes()).hexdigest()
    if actual != jar.sha256:
        raise Unfetched(
            f"{jar.file} was fetched with the wrong checksum: sha256 {actual}, not {jar.sha256}; try again, or "
            f"put the right file into {folder} yourself"
        )
    shutil.move(found, folder / jar.file)


# Ivy's command line does not support classifiers.
_MODULE = """<ivy-module version="2.0" xmlns:m="http://ant.apache.org/ivy/maven">
  <info organisation="viewgate" module="libraries"/>
  <configurations><conf name="default"/></configurations>
  <dependencies>{}</dependencies>
</ivy-module>
"""
_DEPENDENCY = """
    <dependency org="{0.group}" name="{0.artifact}" rev="{0.version}" transitive="false" conf="default->default">{1}
    </dependency>"""
_ARTIFACT = """
      <artifact name="{0.artifact}" type="jar" ext="jar"{1}/>"""


def _module(jars: Sequence[Jar]) -> str:
    """Return the text of Ivy's input file `ivy.xml`, which lists the versions of libraries to fetch, with their files.

    `jars` of the same library and version become one entry with several files.
    """
    libraries: dict[tuple[str, str, str], list[Jar]] = {}
    for jar in jars:
        libraries.setdefault((jar.group, jar.artifact, jar.version), []).append(jar)
    return _MODULE.format(
        "".join(_DEPENDENCY.format(one[0], "".join(map(_artifact, one))) for one in libraries.values())
    )


def _artifact(jar: Jar) -> str:
    return _ARTIFACT.format(jar, f' m:classifier="{jar.classifier}"' if jar.classifier else "")


def _ivy(jars: Sequence[Jar], scratch: Path, children: Children) -> str:
    """Run Ivy once to fetch the files `jars` into the folder `scratch`/jars, and return Ivy's output."""
    (scratch / "ivy.xml").write_text(_module(jars))
    command = [
        *(str(preflight.java()), f"-Divy.default.ivy.user.dir={scratch}"),
        *("-cp", str(spark_jars() / "*"), "org.apache.ivy.Main", "-warn", "-ivy", str(scratch / "ivy.xml")),
        *("-cache", str(scratch / "cache")),
        *("-retrieve", str(scratch / "jars" / "[artifact]-[revision](-[classifier]).[ext]")),
    ]
    return children.run(command)


def spark_jars() -> Path:
    """Return the folder of Java libraries in the pyspark package; raise Missing if pyspark is not installed."""
    try:
        import pyspark
    except ImportError:
        raise preflight.Missing(
            "Viewgate's own Spark needs the Python package pyspark: run pip install '.[embedded]' in Viewgate's "
            "sources, or give --config FILE with [[upstream]] to use Spark Thrift Servers that run elsewhere"
        ) from None
    return Path(pyspark.__file__).parent / "jars"


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(name)s: %(message)s")
    try:
        ensure()
    except (preflight.Missing, Unfetched) as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        sys.exit("interrupted: no library was kept; the next start fetches them")
