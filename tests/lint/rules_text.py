"""Rules about every text file: length, blanks, what must never be written down."""

import json
import os
import re

from registry import rule
from source import TOP

CODE = (
    ".c",
    ".h",
    ".comp",
    ".glsl",
    ".py",
    ".sh",
    ".bats",
    ".js",
    ".mjs",
    ".css",
    ".cmake",
    ".txt",
)
# Recorded machines and expected outputs are kept as they came.
RECORDED = re.compile(r"tests/(.*/)?(golden|data|expected|roots|boards|captures)/|LICENSE$")
LINES_MAX = 500


def is_prose(source):
    return not RECORDED.match(source.path)


def is_code(source):
    return is_prose(source) and (source.suffix in CODE or source.is_shell)


def is_test(source):
    return source.folder == "tests" and source.suffix in (".c", ".py", ".bats", ".sh", ".mjs")


@rule(is_code)
def file_length(source):
    """no source file is longer than 500 lines"""
    lines = source.text.count("\n")
    if lines > LINES_MAX:
        yield lines, f"{lines} lines, {LINES_MAX} allowed"


LINE_MAX = 100  # with tabs of 8


@rule(is_code)
def line_length(source):
    """no line of source is wider than 100 columns"""
    for number, line in enumerate(source.text.splitlines(), 1):
        if len(line.expandtabs(8)) > LINE_MAX:
            yield number, f"{len(line.expandtabs(8))} columns, {LINE_MAX} allowed"


BLANKS = re.compile(r"[ \t]+$|\r", re.M)


@rule(is_prose)
def blanks(source):
    """no blanks at line ends, no CR, a newline at the end"""
    for line, _ in source.find(BLANKS):
        yield line, "blanks at the end of the line"
    if source.text and not source.text.endswith("\n"):
        yield source.text.count("\n") + 1, "no newline at the end"


MARKERS = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b|^(<{7}|>{7}) ", re.M)


@rule(is_prose)
def markers(source):
    """no left-over markers: write an issue instead"""
    for line, match in source.find(MARKERS):
        yield line, f"{match[0].strip()} left over"


URL = re.compile(r"\b(?:https?|ftp|git|ssh)://(?P<host>[\w.-]+)")
# Places a text may cite. Where packages come from is a matter of the machine, not of this tree.
CITED = re.compile(
    r"(.*\.)?(kernel\.org|w3\.org|json-schema\.org|github\.com|gnu\.org|nvmexpress\.org"
    r"|pcisig\.com|dmtf\.org|uefi\.org|khronos\.org|vega\.github\.io|example\.(org|com|invalid)"
    r"|localhost|127\.0\.0\.1)$"
)
HOST = re.compile(
    r"\b(?:registry|deb|archive|security|snapshot|mirrors?|ftp|pypi|proxy|packages)"
    r"\.[\w-]+(?:\.[\w-]+)*\.(?:org|com|net|io|dev)\b"
)


@rule(is_prose)
def hosts(source):
    """no package host is named, only documents are cited"""
    for line, match in source.find(URL):
        if not CITED.match(match["host"]):
            yield line, f"{match['host']} is not a place to cite: see CITED in rules_text.py"
    for line, match in source.find(HOST):
        yield line, f"{match[0]} is a package host"


LOCAL = re.compile(r"(?<![\w.$}~*-])/(?:wor[k]|far[m]|roo[t]|hom[e])/[\w.]")


@rule(lambda source: True)
def local_paths(source):
    """no path of somebody's own machine"""
    for line, match in source.find(LOCAL):
        yield line, f"{match[0]}… exists on one machine only"


WEAK = re.compile(r"\bassert(?:_true|_int_equal)?\(\s*(?:true|1|1, 1)\s*\)|\|\| tru[e]\s*$", re.M)


@rule(is_test)
def weak_tests(source):
    """no check that cannot fail"""
    for line, match in source.find(WEAK):
        yield line, f"{match[0].strip()} cannot fail"


@rule(lambda source: source.path.startswith("tools/packages/"))
def packages(source):
    """package lists are sorted names, one per line, once"""
    names = [line for line in source.text.splitlines() if not line.startswith("#")]
    if names != sorted(set(names)):
        yield 1, "not sorted, or a name is there twice"
    for number, name in enumerate(source.text.splitlines(), 1):
        if not re.fullmatch(r"#.*|[a-z0-9][a-z0-9.+-]*", name):
            yield number, f"{name!r} is not a package name"


@rule(lambda source: is_prose(source) and os.path.basename(source.path) != ".git")
def run_bits(source):
    """what begins with #! can be run, and nothing else"""
    if source.is_executable != source.text.startswith("#!"):
        yield 1, "has a run bit and no #!" if source.is_executable else "has #! and no run bit"


@rule(lambda source: source.suffix == ".json")
def json_files(source):
    """every .json file parses"""
    try:
        json.loads(source.text)
    except ValueError as error:
        yield 1, str(error)


WARNING = re.compile(r"\"(W-[A-Z][A-Z0-9-]*)\b")


def documented():
    """The codes that docs/warnings.md explains."""
    with open(os.path.join(TOP, "docs/warnings.md"), encoding="utf-8") as file:
        return set(re.findall(r"`(W-[A-Z][A-Z0-9-]*)`", file.read()))


@rule(lambda source: source.suffix == ".c" and source.folder not in ("tests", "bench"))
def warning_codes(source):
    """every warning code is explained in docs/warnings.md"""
    for line, match in source.find(WARNING):
        if match[1] not in documented():
            yield line, f"{match[1]} is not in docs/warnings.md"
