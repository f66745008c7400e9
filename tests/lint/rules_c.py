"""Rules about C: who includes what, who may print, what is never opened or sent."""

import os
import re

from registry import rule
from source import TOP

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?P<open>["<])(?P<name>[^">]+)[">]', re.M)
# Folders that stand outside the layers: they may use everything and print.
OUTSIDE = ("bench", "tests", "tools", "docs")
LIBC = re.compile(
    r"(sys|linux|asm|arpa|net|netinet)/|"
    r"(argp|assert|byteswap|cpuid|ctype|dirent|dlfcn|endian|errno|fcntl|fenv|float|fnmatch|ftw|glob"
    r"|grp|immintrin|inttypes|langinfo|libgen|limits|locale|malloc|math|poll|pthread|pwd|regex"
    r"|sched|search|setjmp|signal|spawn|stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio"
    r"|stdlib|string|strings|termios|time|unistd|wchar|wctype|x86intrin)\.h$"
)


def layer_table():
    """docs/architecture.md's table: folder -> (folders it may include, other people's headers)."""
    row = re.compile(r"^\| `(\w+)/` \|[^|]*\|([^|]*)\|([^|]*)\|$", re.M)
    with open(os.path.join(TOP, "docs/architecture.md"), encoding="utf-8") as file:
        rows = row.findall(file.read())
    table = {}
    for folder, may, alone in rows:
        names = re.findall(r"\w+", may)
        if names[:2] == ["all", "but"]:
            names = [other for other, _, _ in rows if other not in names[2:]]
        table[folder] = names, re.findall(r"`<([^>`]+)>`", alone)
    return table


LAYERS = layer_table()


def is_layered(source):
    return source.is_c and source.folder not in OUTSIDE


@rule(is_layered)
def layers(source):
    """a folder includes only the folders the table of docs/architecture.md gives it"""
    if not LAYERS.get(source.folder):
        yield 1, f"folder {source.folder}/ has no row in the table of docs/architecture.md"
        return
    allowed = [source.folder] + LAYERS[source.folder][0]
    for line, match in source.find(INCLUDE, source.without_comments):
        folder, slash, _ = match["name"].partition("/")
        if match["open"] != '"':
            continue
        if not slash:
            yield line, f'"{match["name"]}" names no folder'
        elif folder not in allowed:
            yield line, f"{source.folder}/ may not include {folder}/"


@rule(is_layered)
def thirdparty(source):
    """each library's header appears in one folder only"""
    mine = LAYERS.get(source.folder, ((), ()))[1]
    for line, match in source.find(INCLUDE, source.without_comments):
        if match["open"] == "<" and not LIBC.match(match["name"]) and match["name"] not in mine:
            yield line, f"<{match['name']}> is not for {source.folder}/ (see docs/architecture.md)"


@rule(lambda source: is_layered(source) and source.suffix == ".c")
def own_header(source):
    """a .c file includes its own header first, so that each header is complete"""
    own = source.path[:-2] + ".h"
    includes = [match["name"] for _, match in source.find(INCLUDE, source.without_comments)]
    if own in includes and includes[0] != own:
        yield 1, f'"{own}" comes first'


def is_our_header(source):
    """Of a layer or tests/t.h; the virtual board's parts have include paths of their own."""
    in_tests = source.folder == "tests" and source.path.count("/") == 1
    return source.suffix == ".h" and (is_layered(source) or in_tests)


@rule(is_our_header)
def guard(source):
    """the guard of folder/name.h is PL_FOLDER_NAME_H"""
    name = "PL_" + re.sub(r"\W", "_", source.path.upper())
    if not re.search(rf"^#ifndef {name}\n#define {name}$", source.text, re.M):
        yield 1, f"guard {name} is missing"


# What only cli/ does, with the exceptions that have a reason.
CLI_ONLY = re.compile(
    r"(?<![\w.>])(v?printf|puts|putchar|perror|_?exit|_Exit|abort|errx?|warnx?"
    r"|(secure_)?getenv)\s*\("
    r"|(?<![.>])\b(stdout|stderr|argv|environ)\b"
)
CLI_ONLY_BUT = {
    ("core", "abort"),  # no memory: nobody could go on
    ("link", "_exit"),  # the guard process is a forked child
    ("model", "argv"),  # the run records its command line
}


@rule(lambda source: is_layered(source) and source.folder != "cli")
def cli_only(source):
    """only cli/ prints, exits, reads argv or the environment"""
    for line, match in source.find(CLI_ONLY, source.code):
        word = match[1] or match[3]
        if (source.folder, word) not in CLI_ONLY_BUT:
            yield line, f"{word} belongs to cli/"


# Files that are opened for writing, and why.
WRITERS = {
    "cli/": "the files the user names",
    "core/env.c": "/dev/cpu_dma_latency",
    "core/outfile.c": "the files the user names, never a drive",
    "gpu_probe/import.c": "a chain in a BAR that no driver uses (--chase-memory)",
    "link/": "link states in sysfs, the journal",
    "report/": "the results",
    "session/store.c": "the journal of a session",
    "topology/capture.c": "the capture the user asked for",
}
FOR_WRITING = re.compile(
    r"\b(O_RDWR|O_WRONLY|O_CREAT|O_TRUNC|O_APPEND|PROT_WRITE)\b"
    r'|\b(fopen|fdopen)\s*\([^;]*"[wa+r]*[wa+]'
)


@rule(is_layered)
def read_only(source):
    """only the listed places open anything for writing; never a drive"""
    if source.path.startswith(tuple(WRITERS)):
        return
    for line, match in source.find(FOR_WRITING, source.without_comments):
        yield line, f"{match[1] or match[2]} for writing: see WRITERS in tests/lint/rules_c.py"


NEVER = re.compile(
    r"\b(NVME_IOCTL_SUBMIT_IO|NVME_IOCTL_(?:SUBSYS_)?RESET|BLKDISCARD|BLKSECDISCARD|BLKZEROOUT"
    r"|BLKROSET|IORING_OP_WRITE\w*|IORING_OP_FALLOCATE|io_uring_prep_write\w*|pwrite\w*|fallocate"
    r"|posix_fallocate|nvme_set_features\w*|nvme_format\w*|nvme_sanitize\w*|nvme_write\w*"
    r"|nvme_dsm\w*|nvme_(?:admin|cmd)_(?!read\b|identify\b|get_log_page\b|get_features\b)\w+)\b"
)


@rule(lambda source: source.is_c and source.folder not in ("tests", "tools"))
def never_written(source):
    """no command that writes to a drive or changes its features, anywhere"""
    for line, match in source.find(NEVER, source.code):
        yield line, f"{match[1]} can change a drive"


BANNED = re.compile(
    r"(?<![\w.>])(strcpy|strcat|sprintf|vsprintf|gets|strtok|ato[ilf]|alloca)\s*\("
    r"|\b(typedef\s+(?:struct|union|enum))\b"
)


@rule(lambda source: source.is_c and source.folder != "tests")
def banned(source):
    """no unbounded string functions, no alloca, no typedef for structs"""
    for line, match in source.find(BANNED, source.code):
        yield line, f"{match[1] or match[2]} is not used here"
