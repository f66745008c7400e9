#!/usr/bin/env python3
"""Real configuration spaces: link/ reads the same facts out of them as lspci does.

test_aspm_lspci.py DECODE_DUMP FOLDER_OF_DUMPS
"""
import re
import shutil
import subprocess
import sys
from pathlib import Path

L0S, L1, L1_1, L1_2, CLKPM, L1_1_PCIPM, L1_2_PCIPM = (1 << i for i in range(7))
SUBSTATES = {"PCI-PM_L1.2": L1_2_PCIPM, "PCI-PM_L1.1": L1_1_PCIPM, "ASPM_L1.2": L1_2,
             "ASPM_L1.1": L1_1}
UNITS = {"ns": 1, "us": 1000}
FOREVER = 2**63 - 1


def ns(text):
    """<64ns, <16us, unlimited"""
    if text.startswith("unlimited"):
        return FOREVER
    match = re.match(r"<(\d+)(ns|us)", text)
    return int(match[1]) * UNITS[match[2]]


def states(text):
    return (L0S if "L0s" in text else 0) | (L1 if "L1" in text else 0)


def flags(text, names):
    return sum(bit for name, bit in names.items() if f"{name}+" in text)


def from_link(block, facts):
    cap = re.search(r"LnkCap:.*?, ASPM ([^,\n]*)(?:, Exit Latency ([^\n]*))?", block)
    facts["supported"] = 0 if "not" in cap[1] else states(cap[1])
    facts["supported"] |= CLKPM if re.search(r"LnkCap:.*\n\s+ClockPM\+", block) else 0
    for name, value in re.findall(r"(L0s|L1) (<\d+\w\w|unlimited)", cap[2] or ""):
        facts[f"{name.lower()}_exit"] = ns(value)
    ctl = re.search(r"LnkCtl:\s+ASPM ([^;]*);", block)
    facts["enabled"] = 0 if "Disabled" in ctl[1] else states(ctl[1])
    facts["enabled"] |= CLKPM if re.search(r"ExtSynch. ClockPM\+", block) else 0


def from_device(block, facts):
    accept = re.search(r"DevCap:.*\n?.*Latency L0s (\S+), L1 (\S+)", block)
    if accept:
        facts["l0s_accepts"], facts["l1_accepts"] = ns(accept[1]), ns(accept[2])
        if facts["l0s_accepts"] in (1000, 2000, 4000):  # the kernel doubles from 64 ns on
            facts["l0s_accepts"] = facts["l0s_accepts"] // 1000 * 1024


def from_substates(block, facts):
    cap = re.search(r"L1SubCap: ([^\n]*)\n(?:\s+PortCommonModeRestoreTime=(\d+)us "
                    r"PortTPowerOnTime=(\d+)us)?", block)
    if not cap:
        return
    if "L1_PM_Substates+" in cap[1]:
        facts["supported"] |= flags(cap[1], SUBSTATES)
    ctl = re.search(r"L1SubCtl1: ([^\n]*)\n\s+T_CommonMode=(\d+)us(?: LTR1.2_Threshold=(\d+)ns)?",
                    block)
    facts["enabled"] |= flags(ctl[1], SUBSTATES)
    power = re.search(r"T_PwrOn=(\d+)us", block)
    for name, value in (("restore", cap[2]), ("power_on", cap[3]), ("restore_set", ctl[2]),
                        ("threshold", ctl[3]), ("power_on_set", power and power[1])):
        if value is not None:
            facts[name] = int(value)


def from_ltr(block, facts):
    for name, word in (("ltr", "snoop"), ("ltr_no_snoop", "no snoop")):
        match = re.search(rf"Max {word} latency: (\d+)ns", block)
        if match:
            facts[name] = int(match[1])


def of_lspci(dump):
    text = subprocess.run(["lspci", "-F", dump, "-D", "-vvv"], capture_output=True,
                          encoding="utf-8", errors="replace", check=True).stdout
    for block in text.split("\n\n"):
        if "LnkCap:" not in block or "Root Complex Integrated" in block:
            continue
        facts = {}
        from_link(block, facts)
        from_device(block, facts)
        from_substates(block, facts)
        from_ltr(block, facts)
        yield block.split()[0], facts


def of_link(program, dump):
    text = subprocess.run([program, dump], capture_output=True, text=True, check=True).stdout
    lines = text.splitlines()
    shutil.rmtree(lines.pop().removeprefix("# "))
    for line in lines:
        bdf, *pairs = line.split()
        facts = dict(pair.split("=") for pair in pairs)
        yield bdf, {k: int(v, 16 if k in ("supported", "enabled") else 10)
                    for k, v in facts.items()}


def main():
    program, dumps = sys.argv[1], sorted(Path(sys.argv[2]).glob("*lspci-xxx*.txt"))
    if not shutil.which("lspci"):
        sys.exit(77)
    compared = wrong = 0
    for dump in (d for d in dumps if "rebuilt" not in d.name):
        ours = dict(of_link(program, dump))
        for bdf, facts in of_lspci(dump):
            for name, value in facts.items():
                compared += 1
                if ours.get(bdf, {}).get(name) != value:
                    wrong += 1
                    print(f"{dump.name} {bdf} {name}: lspci {value}, "
                          f"link {ours.get(bdf, {}).get(name)}")
    print(f"{compared} facts of {len(dumps)} dumps compared, {wrong} differ")
    sys.exit(1 if wrong or compared < 100 else 0)


main()
