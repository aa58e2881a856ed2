import os
from pathlib import Path

import pytest

from proxy.authentication import PasswordFile


def test_users_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "passwords"
    file.write_text("# ours\n\n" + PasswordFile.line("ann", "s:e") + "\n")
    users = PasswordFile(file)
    assert users.check("ann", "s:e")
    assert not any(users.check(*pair) for pair in (("ann", "x"), ("ann", ""), ("bob", "s:e"), ("bob", ""), ("", "")))


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "passwords"
    file.write_text(PasswordFile.line("ann", "old"))
    users = PasswordFile(file)
    file.write_text(PasswordFile.line("ann", "new") + "\n")
    os.utime(file, ns=(1, 1))
    assert users.check("ann", "new")
    assert not users.check("ann", "old")
    other = tmp_path / "other"
    other.write_text(PasswordFile.line("ann", "old") + "\n")
    os.utime(other, ns=(1, 1))
    other.replace(file)
    assert users.check("ann", "old")


def test_the_version_of_a_password_changes_with_it(tmp_path: Path) -> None:
    file = tmp_path / "passwords"
    line = PasswordFile.line("ann", "old") + "\n"
    file.write_text(line)
    users = PasswordFile(file)
    first = users.version("ann")
    assert first
    assert users.version("bob") == ""
    file.write_text(line + PasswordFile.line("bob", "x"))
    assert users.version("ann") == first
    file.write_text("not a line\n")  # while an editor writes, the users are those of the last complete file
    assert users.version("ann") == first
    file.write_text(PasswordFile.line("ann", "new"))
    assert users.version("ann") not in ("", first)
    file.write_text("")
    assert users.version("ann") == ""


@pytest.mark.parametrize("text", ["ann", "ann:plain", ":$argon2id$x"])
def test_a_line_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "passwords").write_text(f"# one\n{text}\n")
    with pytest.raises(ValueError, match="passwords:2: the line must be user:hash, as `viewgate password` prints it"):
        PasswordFile(tmp_path / "passwords")


def test_a_hash_that_is_broken_lets_nobody_in(tmp_path: Path) -> None:
    (tmp_path / "passwords").write_text("ann:$argon2id$broken")
    assert not PasswordFile(tmp_path / "passwords").check("ann", "x")
