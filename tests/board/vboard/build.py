# SPDX-License-Identifier: GPL-2.0-or-later
"""What a run needs from the host: QEMU, a kernel with headers, and the built parts."""
from __future__ import annotations

import functools
import lzma
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from . import cpio

HERE = Path(__file__).resolve().parent.parent  # tests/board
REPO = HERE.parent.parent
PACKAGES = ("qemu-system-x86 busybox-static linux-image-amd64 linux-headers-amd64 gcc make "
            "libc6-dev liburing-dev")
# Loaded before the rest, with what they need; those a kernel lacks or has built in are skipped.
MODULES = ("virtio_pci", "9pnet_virtio", "9p", "overlay", "crct10dif_generic",
           "crc64_rocksoft_generic", "nvme")


class MissingError(Exception):
    """Something the host lacks, with the command that fixes it."""


@dataclass
class Kernel:
    version: str
    image: Path
    modules: Path
    headers: Path


def _missing(what: str) -> MissingError:
    return MissingError(f"{what}\nTo install what the virtual board needs (Debian names):\n"
                        f"    sudo apt-get install --no-install-recommends {PACKAGES}")


def _version_key(path: Path) -> list[int]:
    return [int(x) for x in re.findall(r"\d+", path.name)]


def find_kernel() -> Kernel:
    """The newest readable kernel image that has its modules and headers beside it."""
    why = "There is no kernel image in /boot (vmlinuz-VERSION)."
    for image in sorted(Path("/boot").glob("vmlinuz-*"), key=_version_key, reverse=True):
        version = image.name.removeprefix("vmlinuz-")
        modules = Path("/lib/modules") / version
        if not os.access(image, os.R_OK):
            why = f"{image} is not readable for this user (sudo chmod a+r {image})."
        elif not (modules / "kernel").is_dir():
            why = f"The modules of kernel {version} are missing from {modules}."
        elif not (modules / "build/Makefile").exists():
            why = f"The headers of kernel {version} are missing: {modules}/build does not exist."
        else:
            return Kernel(version, image, modules / "kernel", modules / "build")
    raise _missing(why)


def find_qemu() -> str:
    qemu = shutil.which("qemu-system-x86_64")
    if not qemu:
        raise _missing("QEMU is not installed (qemu-system-x86_64).")
    return qemu


def plugin_api(qemu: str) -> int:
    """The plugin interface version this QEMU accepts: 1 before 9.0."""
    text = subprocess.run([qemu, "--version"], capture_output=True, text=True, check=True).stdout
    found = re.search(r"version (\d+)", text)
    return 1 if found and int(found[1]) < 9 else 2


def _tools() -> Path:
    for tool in ("gcc", "make"):
        if not shutil.which(tool):
            raise _missing(f"{tool} is not installed.")
    for busybox in (Path("/bin/busybox"), Path("/usr/bin/busybox")):
        if busybox.exists():
            return busybox
    raise _missing("busybox is not installed.")


def _dependencies(kernel: Kernel) -> dict[str, tuple[str, list[str]]]:
    """Module name to its file and the names it needs, from modules.dep."""
    out = {}
    for line in (kernel.modules.parent / "modules.dep").read_text().splitlines():
        path, _, needs = line.partition(":")
        out[_module_name(path)] = (path, [_module_name(n) for n in needs.split()])
    return out


def _module_name(path: str) -> str:
    return Path(path).name.partition(".ko")[0].replace("-", "_")


def load_order(kernel: Kernel) -> list[Path]:
    """Files of MODULES and all they need, needs first."""
    table = _dependencies(kernel)
    order: list[Path] = []

    def add(name: str) -> None:
        path, needs = table[name]
        for n in needs:
            add(n)
        if kernel.modules.parent / path not in order:
            order.append(kernel.modules.parent / path)

    for name in MODULES:
        if name.replace("-", "_") in table:
            add(name.replace("-", "_"))
    return order


def _plain(path: Path) -> bytes:
    """A module's bytes; distributions compress them in different ways."""
    if path.suffix == ".xz":
        return lzma.decompress(path.read_bytes())
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-dc", str(path)], capture_output=True, check=True).stdout
    return path.read_bytes()


def _initrd(kernel: Kernel, busybox: Path, vboard: Path, out: Path) -> None:
    files = {"init": (HERE / "guest/init").read_bytes(), "bin/busybox": busybox.read_bytes(),
             "mods/vboard.ko": vboard.read_bytes()}
    names = []
    for path in load_order(kernel):
        name = _module_name(path.name)
        names.append(name)
        files[f"mods/{name}.ko"] = _plain(path)
    names.remove("nvme")  # after the board is in place
    files["mods/order"] = "".join(f"{n}\n" for n in names).encode()
    folders = ["bin", "proc", "sys", "dev", "mods", "host", "rw", "new"]
    cpio.write(out, folders, files)


@dataclass
class Parts:
    kernel: Kernel
    qemu: str
    plugin: Path
    initrd: Path
    folder: Path

    def tsc_khz(self) -> int:
        return _measure_tsc_khz(self.folder / "vbtsc")


@functools.cache
def _measure_tsc_khz(program: Path) -> int:
    """Once: it stands on the kernel's command line, which one machine does not change."""
    return int(subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout)


def build(out: Path) -> Parts:
    """Build plugin, guest module, probes and initramfs under `out` where they are not fresh."""
    kernel, qemu, busybox = find_kernel(), find_qemu(), _tools()
    out.mkdir(parents=True, exist_ok=True)
    make = subprocess.run(
        ["make", "-s", "-C", str(HERE), f"OUT={out}", f"KDIR={kernel.headers}",
         f"KVER={kernel.version}", f"API={plugin_api(qemu)}"], capture_output=True, text=True)
    if make.returncode:
        raise MissingError("The parts of the virtual board do not build:\n" +
                           (make.stdout + make.stderr)[-3000:])
    vboard = out / f"module-{kernel.version}/vboard.ko"
    initrd = out / f"initrd-{kernel.version}.gz"
    sources = [vboard, busybox, HERE / "guest/init", Path(__file__)]
    if not initrd.exists() or initrd.stat().st_mtime < max(p.stat().st_mtime for p in sources):
        _initrd(kernel, busybox, vboard, initrd)
    return Parts(kernel, qemu, out / "vboard-plugin.so", initrd, out)
