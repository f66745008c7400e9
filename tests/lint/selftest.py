#!/usr/bin/env python3
"""Every rule catches a bad sample and lets a good one pass."""

import sys

import lint  # noqa: F401 (registers the rules)
from registry import RULES, Skip
from source import Source

LONG = "int pl_f(void)\n{\n" + "\tg();\n" * 67 + "}\n"
HEADER = "#ifndef PL_CORE_X_H\n#define PL_CORE_X_H\n%s\n#endif\n"
SLASH = "/"

# (rule, path, text, is it bad); A sample begins with #! when it is
# to have the run bit, unless the rule is about that.
SAMPLES = [
    ("layers", "core/x.c", '#include "model/run.h"\n', True),
    ("layers", "report/x.c", '#include "link/link.h"\n', True),
    ("layers", "nvme_probe/x.c", '#  include "link/link.h"\n', True),
    ("layers", "link/x.c", '#include "path_probe/path_probe.h"\n', True),
    ("layers", "cli/x.c", '#include "pci/config.h"\n', True),
    ("layers", "core/x.c", '#include "err.h"\n', True),
    ("layers", "nowhere/x.c", "int a;\n", True),
    ("layers", "core/x.c", '#include "core/err.h"\n/* #include "model/run.h" */\n', False),
    ("layers", "cli/x.c", '#include "link/link.h"\n', False),
    ("layers", "tests/unit/x.c", '#include "pci/config.h"\n', False),
    ("thirdparty", "topology/x.c", "#include <pci/pci.h>\n", True),
    ("thirdparty", "core/x.c", "#include <zlib.h>\n", True),
    ("thirdparty", "pci/x.c", "#include <pci/pci.h>\n#include <sys/mman.h>\n", False),
    ("own_header", "core/err.c", '#include <stdio.h>\n#include "core/err.h"\n', True),
    ("own_header", "core/err.c", '#include "core/err.h"\n#include <stdio.h>\n', False),
    ("own_header", "cli/main.c", '#include <stdio.h>\n#include "cli/app.h"\n', False),
    ("guard", "core/x.h", "#ifndef X_H\n#define X_H\n#endif\n", True),
    ("guard", "core/x.h", "#pragma once\n", True),
    ("guard", "core/x.h", HEADER % "", False),
    ("cli_only", "core/x.c", 'void f(void)\n{\n\tprintf("x");\n}\n', True),
    ("cli_only", "report/x.c", "FILE *f = stdout;\n", True),
    ("cli_only", "core/x.c", "void f(void)\n{\n\texit (1);\n}\n", True),
    ("cli_only", "topology/x.c", 'char *s = getenv("HOME");\n', True),
    ("cli_only", "session/x.c", "void f(void)\n{\n\t_exit(1);\n}\n", True),
    ("cli_only", "link/x.c", "void f(void)\n{\n\t_exit(1);\n}\n", False),
    ("cli_only", "cli/x.c", 'void f(void)\n{\n\tprintf("x");\n\texit(1);\n}\n', False),
    (
        "cli_only",
        "core/x.c",
        "char *pl_arena_printf(int n); /* printf(x) */\n"
        'void f(FILE *out)\n{\n\tfprintf(out, "exit(1)");\n}\n',
        False,
    ),
    ("read_only", "nvme_probe/x.c", "int fd = open(path, O_RDWR | O_DIRECT);\n", True),
    (
        "read_only",
        "path_probe/x.c",
        "p = mmap(0, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);\n",
        True,
    ),
    ("read_only", "topology/x.c", 'FILE *f = fopen(path, "w");\n', True),
    ("read_only", "topology/x.c", 'FILE *f = fopen(path, "r+");\n', True),
    (
        "read_only",
        "nvme_probe/x.c",
        "int fd = open(path, O_RDONLY | O_DIRECT); /* never O_RDWR */\n",
        False,
    ),
    ("read_only", "link/x.c", "int fd = open(path, O_WRONLY);\n", False),
    ("read_only", "topology/x.c", 'FILE *f = fopen(path, "r");\n', False),
    ("never_written", "nvme_probe/x.c", "ioctl(fd, NVME_IOCTL_SUBMIT_IO, &io);\n", True),
    ("never_written", "link/x.c", "nvme_set_features(&args);\n", True),
    ("never_written", "nvme_probe/x.c", "cmd.opcode = nvme_cmd_write_zeroes;\n", True),
    ("never_written", "nvme_probe/x.c", "cmd.opcode = nvme_admin_format_nvm;\n", True),
    ("never_written", "bench/x.c", "io_uring_prep_write_fixed(sqe, fd, p, n, 0, 0);\n", True),
    ("never_written", "cli/x.c", "pwrite(fd, p, n, 0);\n", True),
    (
        "never_written",
        "nvme_probe/x.c",
        "cmd.opcode = nvme_admin_identify; op = nvme_cmd_read;\n",
        False,
    ),
    ("never_written", "nvme_probe/x.c", "/* no NVME_IOCTL_SUBMIT_IO */\n", False),
    ("banned", "core/x.c", "void f(char *a)\n{\n\tstrcpy(a, b);\n}\n", True),
    ("banned", "core/x.h", "typedef struct x x;\n", True),
    ("banned", "core/x.c", "typedef int fn(void);\nint n = strtol(a, &e, 10);\n", False),
    ("file_length", "core/x.c", "int a;\n" * 501, True),
    ("file_length", "core/x.c", "int a;\n" * 500, False),
    ("file_length", "tests/golden/x.txt", "a\n" * 501, False),
    ("line_length", "core/x.c", "\t" * 12 + "/* b */\n", True),
    ("line_length", "core/x.c", "\t" * 12 + "g();\n", False),
    ("blanks", "core/x.c", "int a; \n", True),
    ("blanks", "README.md", "a\r\n", True),
    ("blanks", "README.md", "a", True),
    ("blanks", "README.md", "a\n", False),
    ("markers", "core/x.c", "/* TO" "DO: later */\n", True),
    ("markers", "core/x.c", "<" * 7 + " HEAD\n", True),
    ("markers", "core/x.c", 'char t[] = "nameXXXXXX";\n', False),
    ("hosts", "tools/x.sh", "curl https:" + SLASH * 2 + "somewhere.net/file\n", True),
    ("hosts", "x.lock", "from deb" + ".somewhere.org\n", True),
    ("hosts", "docs/x.md", "https:" + SLASH * 2 + "docs.kernel.org/PCI/index.html\n", False),
    ("local_paths", "docs/x.md", "see " + SLASH + "home/anna/pcielat\n", True),
    ("local_paths", "tests/golden/x.json", '"' + SLASH + 'root/x"\n', True),
    ("local_paths", "docs/x.md", "see $HOME/pcielat and tests/root/x\n", False),
    ("weak_tests", "tests/unit/x.c", "assert_true" "(1);\n", True),
    ("weak_tests", "tests/cli/x.bats", "grep x y || " + "true\n", True),
    ("weak_tests", "tests/unit/x.c", "assert_true(a == 1);\n", False),
    ("packages", "tools/packages/x.txt", "b\na\n", True),
    ("packages", "tools/packages/x.txt", "a\na\n", True),
    ("packages", "tools/packages/x.txt", "A b\n", True),
    ("packages", "tools/packages/x.txt", "# why\na\nlibb-dev\n", False),
    ("json_files", "x.json", "{,}\n", True),
    ("json_files", "x.json", "{}\n", False),
    ("c_format", "core/x.c", "int f( void ) { return 1; }\n", True),
    ("c_format", "core/x.c", "int f(void)\n{\n\treturn 1;\n}\n", False),
    ("shell", "tools/x.sh", "#!/bin/sh\nrm $1\n", True),
    ("shell", "tools/x.sh", '#!/bin/sh\nrm "$1"\n', False),
    ("function_length", "core/x.c", "static int a;\n\n" + LONG.replace("}", "\tg();\n}"), True),
    ("function_length", "core/x.c", LONG, False),
    ("warning_codes", "core/x.c", 'const char *w = "W-NOWHERE: no";\n', True),
    ("warning_codes", "core/x.c", 'const char *w = "W-DRIFT: yes";\n', False),
    ("header_alone", "core/x.h", HEADER % "uint8_t pl_x(void);", True),
    ("header_alone", "core/x.h", HEADER % "#include <stdint.h>\nuint8_t pl_x(void);", False),
]
RUN_BIT = [
    (Source("tools/x", "#!/bin/sh\n", False), True),
    (Source("tools/x.c", "int a;\n", True), True),
    (Source("tools/x", "#!/bin/sh\n", True), False),
]


def cases():
    for name, path, text, is_bad in SAMPLES:
        yield name, Source(path, text, text.startswith("#!")), is_bad
    for source, is_bad in RUN_BIT:
        yield "run_bits", source, is_bad


def main():
    wrong, seen = [], set()
    for name, source, is_bad in cases():
        try:
            found = RULES[name].findings([source])
        except Skip as reason:
            print(f"{name}: skipped: {reason}")
            found = [reason] if is_bad else []
        seen.add((name, is_bad))
        if bool(found) != is_bad:
            wrong.append(
                f"{name}: {'missed' if is_bad else 'refused'}: {source.text[:60]!r} {found}"
            )
    for name in RULES:
        for is_bad in (True, False):
            if (name, is_bad) not in seen:
                wrong.append(f"{name}: no {'bad' if is_bad else 'good'} sample")
    print(*wrong, sep="\n")
    print(f"{len(list(cases()))} samples, {len(RULES)} rules, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
