"""Rules that ask a compiler or another program."""

import os
import re
import shutil
import subprocess
import tempfile
from functools import lru_cache

from registry import Skip, rule
from rules_c import is_our_header
from source import TOP

FORMAT_MAJOR = 14  # layouts differ between versions; Debian 12 has this one
FUNCTION_LINES_MAX = 70


def run(command, text):
    """Runs a program at the top of the tree with text as its input: (exit code, output)."""
    done = subprocess.run(
        command, input=text, cwd=TOP, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return done.returncode, done.stdout


@lru_cache
def clang_format():
    for name in (f"clang-format-{FORMAT_MAJOR}", "clang-format"):
        if shutil.which(name) and f"version {FORMAT_MAJOR}." in run([name, "--version"], "")[1]:
            return name
    raise Skip(f"clang-format {FORMAT_MAJOR} is not installed")


@rule(lambda source: source.is_c and source.folder != "docs")
def c_format(source):
    """clang-format decides the layout"""
    code, text = run([clang_format(), f"--assume-filename={source.path}"], source.text)
    if code:
        yield 1, text.strip()
    elif text != source.text:
        old, new = source.text.splitlines(), text.splitlines()
        pairs = enumerate(zip(old, new), 1)
        line = next((n for n, (a, b) in pairs if a != b), min(len(old), len(new)))
        yield line, f"run {clang_format()} -i {source.path}"


@lru_cache
def tool(name, package):
    if not shutil.which(name):
        raise Skip(f"{package} is not installed")
    return name


@rule(lambda source: source.is_shell)
def shell(source):
    """shellcheck has nothing to say"""
    command = [tool("shellcheck", "shellcheck"), "-x", "-f", "gcc", "-P", TOP]
    # A sample is not there to be named, and includes are found from the file's own place.
    name = source.path if os.path.exists(os.path.join(TOP, source.path)) else "-"
    _, text = run(command + [name], source.text)
    for line, message in re.findall(r"^[^:\n]+:(\d+):\d+: (.*)$", text, re.M):
        yield int(line), message


@rule(lambda source: source.suffix == ".c" and source.folder != "docs")
def function_length(source):
    """no function is longer than 70 lines"""
    form = "--_xformat=%{line} %{end} %{name}"
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "x.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write(source.text)
        ctags = [
            tool("ctags", "universal-ctags"),
            "--options=NONE",
            "-x",
            "--c-kinds=f",
            form,
            path,
        ]
        code, text = run(ctags, "")
    if code:
        raise Skip("ctags is not Universal Ctags")
    for line, end, name in re.findall(r"^(\d+) (\d+) (.*)$", text, re.M):
        lines = int(end) - int(line) + 1
        if lines > FUNCTION_LINES_MAX:
            yield int(line), f"{name} has {lines} lines, {FUNCTION_LINES_MAX} allowed"


@lru_cache
def compiler():
    flags = []
    for package in ("libpci", "hwloc", "liburing", "jansson", "libnvme", "vulkan", "cmocka"):
        code, text = run(["pkg-config", "--cflags", package], "")
        flags += text.split() if code == 0 else []
    return [
        tool("cc", "gcc"),
        "-std=gnu11",
        "-D_GNU_SOURCE",
        "-Wall",
        "-Wextra",
        f"-I{TOP}",
    ] + flags


@rule(lambda source: is_our_header(source) and source.folder != "shaders")
def header_alone(source):
    """every header compiles by itself"""
    code, text = run(compiler() + ["-Werror", "-fsyntax-only", "-x", "c", "-"], source.text)
    if code:
        line = re.search(r"<stdin>:(\d+)", text)
        yield int(line[1]) if line else 1, text.strip().splitlines()[0]
