"""The source list for stable follows from the machine's own, whatever its style."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

SCRIPT = Path(__file__).parents[2] / "scripts" / "source_list.py"
MODULE: dict[str, Any] = runpy.run_path(str(SCRIPT))

DEB822 = """# made by the installer
Types: deb
URIs: https://mirror.example/debian
Suites: bookworm bookworm-updates
Components: main contrib
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

Types: deb
URIs: https://mirror.example/debian-security
Suites: bookworm-security
Components: main
"""
ONE_LINE = """# deb cdrom:[Debian]/ bookworm main
deb [arch=amd64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] https://mirror.example/debian bookworm main
deb https://mirror.example/debian-security bookworm-security main
"""
EXPECTED = """Types: deb-src
URIs: https://mirror.example/debian
Suites: stable
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
"""


def derive(etc: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(SCRIPT), str(etc)], capture_output=True, text=True, check=False
    )


@pytest.fixture
def etc(tmp_path: Path) -> Path:
    (tmp_path / "sources.list.d").mkdir()
    return tmp_path


def test_from_deb822(etc: Path) -> None:
    (etc / "sources.list.d" / "debian.sources").write_text(DEB822)
    assert derive(etc).stdout == EXPECTED


def test_from_one_line_style(etc: Path) -> None:
    (etc / "sources.list").write_text(ONE_LINE)
    assert derive(etc).stdout == EXPECTED


@pytest.mark.parametrize(
    "text",
    [
        "deb https://mirror.example/debian-security bookworm-security main\n",  # no release lies there
        "deb https://other.example/apt nodistro stable-packages\n",  # not Debian's: no component main
        "deb https://flat.example/repo ./\n",
        "# deb https://mirror.example/debian bookworm main\n",
        "",
    ],
)
def test_where_there_is_no_main_archive_one_line_says_so(etc: Path, text: str) -> None:
    (etc / "sources.list").write_text(text)
    answer = derive(etc)
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert answer.stderr.count("\n") == 1
    assert "no Debian archive" in answer.stderr


def test_disabled_stanzas_and_other_files_do_not_count(etc: Path) -> None:
    (etc / "sources.list.d" / "debian.sources").write_text("Enabled: no\n" + DEB822.partition("\n")[2])
    (etc / "sources.list.d" / "old.sources.bak").write_text(DEB822)
    assert derive(etc).returncode == 2


def test_an_embedded_key_is_carried_over_whole(etc: Path) -> None:
    key = "\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n mDMEY\n -----END PGP PUBLIC KEY BLOCK-----"
    (etc / "sources.list.d" / "debian.sources").write_text(
        f"Types: deb\nURIs: https://mirror.example/debian\nSuites: trixie\nComponents: main\nSigned-By:{key}\n"
    )
    assert derive(etc).stdout.endswith(f"Signed-By: {key}\n")


words = st.from_regex(r"[a-z][a-z0-9]{0,9}", fullmatch=True)


@given(host=words, suite=words, extra=st.lists(words, max_size=3), key=st.none() | words)
def test_both_styles_say_the_same(host: str, suite: str, extra: list[str], key: str | None) -> None:
    components = " ".join(["main", *extra])
    uri = f"https://{host}.example/debian"
    signed = f"Signed-By: /{key}.gpg\n" if key else ""
    deb822 = f"Types: deb\nURIs: {uri}\nSuites: {suite}\nComponents: {components}\n{signed}"
    option = f"[signed-by=/{key}.gpg] " if key else ""
    one_line = f"deb {option}{uri} {suite} {components}\n"
    stable, stanzas, lines = MODULE["stable"], MODULE["stanzas"], MODULE["lines"]
    assert stable(stanzas(deb822)) == stable(lines(one_line))
    assert "Suites: stable\n" in stable(stanzas(deb822))


@given(st.text())
def test_any_text_is_read_without_a_traceback(text: str) -> None:
    MODULE["stable"](MODULE["stanzas"](text))
    MODULE["stable"](MODULE["lines"](text))
