"""Print an apt source list for the source packages of Debian's stable release, derived from this machine's own.

    python3 source_list.py [ETC]      (ETC is /etc/apt unless given)

The archive's address, components and key are those from which this machine gets its own release; only the type
(deb-src) and the suite (stable) differ. Exit code 2 and one line where there is nothing to derive it from.
"""

import re
import sys
from pathlib import Path

# Suites beside a release, in archives of their own: no source package of the release lies there.
BESIDE = re.compile(r"-(security|updates|proposed-updates|backports|backports-sloppy)$|/")


def stanzas(text):
    """Return the stanzas of a deb822 file as dictionaries with lower-case keys."""
    found = []
    fields = {}
    key = ""
    for line in [*text.splitlines(), ""]:
        if line.startswith("#"):
            continue
        if not line.strip():
            if fields:
                found.append(fields)
            fields = {}
        elif line[0] in " \t" and key:
            fields[key] += "\n" + line
        elif ":" in line:
            key, _, value = line.partition(":")
            key = key.strip().lower()
            fields[key] = value.strip()
    return found


def lines(text):
    """Return the entries of a one-line-style file in the shape of deb822 stanzas."""
    found = []
    for line in text.splitlines():
        match = re.match(r"^\s*(deb|deb-src)\s+(?:\[(?P<options>[^]]*)\]\s+)?(?P<rest>[^#]+)", line)
        if match is None:
            continue
        uri, suite, *components = match["rest"].split()
        entry = {"types": match[1], "uris": uri, "suites": suite, "components": " ".join(components)}
        for option in (match["options"] or "").split():
            name, _, value = option.partition("=")
            if name.lower() in ("signed-by", "trusted"):
                entry[name.lower()] = value.replace(",", " ")
        found.append(entry)
    return found


def stable(entries):
    """Return the deb822 text for stable's sources, or None where no entry is a release's main archive."""
    for entry in entries:
        suites = [suite for suite in entry.get("suites", "").split() if not BESIDE.search(suite)]
        components = entry.get("components", "").split()
        if entry.get("enabled", "yes").lower() == "no" or not suites or "main" not in components:
            continue
        text = f"Types: deb-src\nURIs: {entry['uris']}\nSuites: stable\nComponents: main\n"
        for name, key in (("Signed-By", "signed-by"), ("Trusted", "trusted")):
            if key in entry:
                text += f"{name}: {entry[key]}\n"
        return text
    return None


def main():
    """Read the machine's lists and print the derived one."""
    etc = Path(sys.argv[1] if len(sys.argv) > 1 else "/etc/apt")
    entries = []
    for path in sorted(etc.glob("sources.list.d/*.sources")):
        entries += stanzas(path.read_text())
    for path in [etc / "sources.list", *sorted(etc.glob("sources.list.d/*.list"))]:
        if path.is_file():
            entries += lines(path.read_text())
    text = stable(entries)
    if text is None:
        sys.exit(print(f"no Debian archive among the sources in {etc}", file=sys.stderr) or 2)
    print(text, end="")


if __name__ == "__main__":
    main()
