"""Rules that ask a compiler or another program."""

import os
import re
import shutil
import subprocess

from registry import Skip, rule, tree_rule
from rules_c import is_our_header
from source import TOP

FORMAT_MAJOR = 14  # layouts differ between versions; Debian 12 has this one
FUNCTION_LINES_MAX = 70


def run(command, folder=TOP, text=""):
    """Runs a program: (exit code, output)."""
    done = subprocess.run(
        command, input=text, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return done.returncode, done.stdout


def tool(name, package):
    if not shutil.which(name):
        raise Skip(f"{package} is not installed")
    return name


def clang_format():
    for name in (f"clang-format-{FORMAT_MAJOR}", "clang-format"):
        if shutil.which(name) and f"version {FORMAT_MAJOR}." in run([name, "--version"])[1]:
            return name
    raise Skip(f"clang-format {FORMAT_MAJOR} is not installed")


@tree_rule(lambda source: source.is_c and source.folder != "docs")
def c_format(folder, paths):
    """clang-format decides the layout"""
    command, seen = clang_format(), set()
    _, text = run([command, "--dry-run", "-Werror", *paths], folder)
    for path, line, message in re.findall(r"^([^:\n]+):(\d+):\d+: error: (.*)$", text, re.M):
        if path not in seen:  # the first place of each file is enough
            yield path, line, f"{message}: run {command} -i {path}"
        seen.add(path)


@tree_rule(lambda source: source.is_shell)
def shell(folder, paths):
    """shellcheck has nothing to say"""
    _, text = run([tool("shellcheck", "shellcheck"), "-x", "-f", "gcc", "-P", ".", *paths], folder)
    yield from re.findall(r"^([^:\n]+):(\d+):\d+: (.*)$", text, re.M)


@tree_rule(lambda source: source.suffix == ".c" and source.folder != "docs")
def function_length(folder, paths):
    """no function is longer than 70 lines"""
    form = "--_xformat=%{line} %{end} %{input} %{name}"
    ctags = [tool("ctags", "universal-ctags"), "--options=NONE", "-x", "--c-kinds=f", form]
    code, text = run(ctags + paths, folder)
    if code:
        raise Skip("ctags is not Universal Ctags")
    for line, end, path, name in re.findall(r"^(\d+) (\d+) (\S+) (.*)$", text, re.M):
        lines = int(end) - int(line) + 1
        if lines > FUNCTION_LINES_MAX:
            yield path, line, f"{name} has {lines} lines, {FUNCTION_LINES_MAX} allowed"


def is_first_somewhere(source):
    """The .c file of the same name includes it first (own_header), so the build proves it."""
    own = os.path.join(TOP, source.path[:-2] + ".c")
    if not os.path.exists(own):
        return False
    with open(own, encoding="utf-8") as file:
        return f'#include "{source.path}"' in file.read()


def compiler():
    flags = []
    for package in ("libpci", "hwloc", "liburing", "jansson", "libnvme", "vulkan", "cmocka"):
        code, text = run(["pkg-config", "--cflags", package])
        flags += text.split() if code == 0 else []
    cc = [tool("cc", "gcc"), "-std=gnu11", "-D_GNU_SOURCE", "-Wall", "-Wextra", f"-I{TOP}"]
    return cc + flags + ["-Werror", "-fsyntax-only", "-x", "c", "-"]


def needs_compiling(source):
    return is_our_header(source) and source.folder != "shaders" and not is_first_somewhere(source)


@rule(needs_compiling)
def header_alone(source):
    """every header compiles by itself"""
    code, text = run(compiler(), text=source.text)
    if code:
        line = re.search(r"<stdin>:(\d+)", text)
        yield int(line[1]) if line else 1, text.strip().splitlines()[0]
