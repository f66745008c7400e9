"""The files a lint rule looks at."""

import os
import re
import subprocess
from dataclasses import dataclass
from functools import cached_property

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

C_TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')""",
    re.S,
)


def blanked(match):
    """As many lines as before, so that line numbers stay right."""
    return re.sub(r"[^\n]", " ", match.group())


@dataclass(frozen=True)
class Source:
    """One file of the tree, or a sample that pretends to be one (selftest.py)."""

    path: str  # as git says it: "core/err.c"
    text: str
    is_executable: bool = False

    @property
    def folder(self):
        return self.path.split("/")[0] if "/" in self.path else ""

    @property
    def suffix(self):
        return os.path.splitext(self.path)[1]

    @property
    def is_c(self):
        return self.suffix in (".c", ".h")

    @property
    def is_shell(self):
        return self.suffix in (".sh", ".bash", ".bats") or bool(
            re.match(r"#!.*\b(sh|bash|bats)\b", self.text)
        )

    @cached_property
    def without_comments(self):
        """C text with its comments blanked."""
        return C_TOKEN.sub(lambda m: blanked(m) if m["comment"] else m.group(), self.text)

    @cached_property
    def code(self):
        """C text with comments and literals blanked: what the compiler acts on."""
        return C_TOKEN.sub(blanked, self.text)

    def find(self, pattern, text=None):
        """Yields (line number, match) for each match of a compiled pattern."""
        text = self.text if text is None else text
        for match in pattern.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, match


def listed():
    """Paths of the tree: what git tracks or would track, or every file of an unpacked archive."""
    git = ["git", "-C", TOP, "-c", f"safe.directory={TOP}", "ls-files", "-z"]
    git += ["--cached", "--others", "--exclude-standard"]
    if os.path.exists(os.path.join(TOP, ".git")):
        out = subprocess.run(git, check=True, capture_output=True).stdout.decode()
        return sorted(set(filter(None, out.split("\0"))))
    found = []
    for folder, folders, files in os.walk(TOP):
        if folder == TOP:
            folders[:] = [f for f in folders if f not in ("build", ".git", "node_modules")]
        found += [os.path.relpath(os.path.join(folder, name), TOP) for name in files]
    return sorted(found)


def sources():
    """Every text file of the tree, without symbolic links (captures have many) and binaries."""
    for path in listed():
        full = os.path.join(TOP, path)
        if os.path.islink(full) or not os.path.isfile(full):
            continue
        with open(full, "rb") as file:
            data = file.read()
        if b"\0" in data:
            continue
        yield Source(path, data.decode("utf-8", "replace"), os.access(full, os.X_OK))
