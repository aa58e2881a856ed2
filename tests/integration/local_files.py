"""A local file system for the tests' Sparks that sets permissions in Java.

Without its native library, Hadoop starts a process (`chmod`) up to three times for each file that it writes: 7 ms of
processor time a file instead of 1, and a run writes more than ten thousand.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from functools import cache
from pathlib import Path
from zipfile import ZipFile

from proxy import jars
from tests.integration import clients

NAME = "viewgate.LocalFiles"
SOURCE = """
package viewgate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.fs.LocalFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;

public class LocalFiles extends LocalFileSystem {
    public LocalFiles() {
        super(new Raw());
    }
}

class Raw extends RawLocalFileSystem {
    public void setPermission(Path path, FsPermission permission) throws IOException {
        Files.setPosixFilePermissions(
            pathToFile(path).toPath(), PosixFilePermissions.fromString(permission.toString()));
    }
}
"""
SITE = f"<configuration><property><name>fs.file.impl</name><value>{NAME}</value></property></configuration>"


@cache
def library() -> Path:
    """Return a library that makes this file system Hadoop's where it is on the class path; compiled once per content,
    beside our environment.
    """
    content = hashlib.sha256((SOURCE + SITE).encode()).hexdigest()[:12]
    file = jars.directory() / f"local-files-{content}.jar"
    if not file.exists():
        with tempfile.TemporaryDirectory(dir=file.parent) as scratch:
            written = Path(scratch, file.name)
            with ZipFile(written, "w") as jar:
                jar.writestr("core-site.xml", SITE)
                for name, code in _classes().items():
                    jar.writestr(f"{name.replace('.', '/')}.class", code)
            os.replace(written, file)
    return file


def _classes() -> dict[str, bytes]:
    """Compile the source with the compiler in Spark's libraries, since a Java runtime has none."""
    machine = clients.JavaMachine()
    try:
        compiler = machine.jvm.org.codehaus.janino.SimpleCompiler()
        compiler.cook(SOURCE)
        return dict(compiler.getBytecodes())
    finally:
        machine.stop()
