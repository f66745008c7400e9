#!/usr/bin/env python3
"""check_phrases.py SOURCE: whatever a claim says in English is there in Chinese too.

Reads the literals that report/attribute*.c gives as reasons and notes, and asks of each that a
phrase of report/phrases.def has its form; of the tables of drives it asks that of every sentence
and cell with more than one word. Warnings are not claims; sentences are in sentence.c,
whose table a unit test holds complete. Both languages of strings.def must be there and differ.
"""
import pathlib
import re
import sys

LITERAL = r'"(?:[^"\\\n]|\\.)*"(?:\s*"(?:[^"\\\n]|\\.)*")*'
CALL = re.compile(r"\b(?:pl_claim_refuse|pl_claim_note|pl_arena_printf)\(((?:[^();]|\([^()]*\))*?)("
                  + LITERAL + ")")
PLAIN = re.compile(r"\b(?:return|\?|:|reason\s*=|refusal\s*=)\s*(" + LITERAL + ")")
# Names of accesses, which sentence.c has; templates that are filled with words of their own.
OTHER = ("a configuration read", "a register read", "a GPU read", "a {} read", "{} {}", "as found",
         "L0s (as found)", "{}{} (as found)", "Continuous traffic, links as found{}.",
         "No readable link of either path has ASPM enabled{}.",
         "{} function{} between them did not answer there.")

# Of drives: names, and what puts words together that have phrases of their own.
DRIVE_OTHER = ("Get Features", "{}: {}", "A step holds,", "{} W", "{} MB/s", "{}K {}", "{} {}",
               "Clock PM (CLKREQ#)", "{}: {}{}{}", ", firmware", "(< {})", "{} read{}", "not zero",
               "{}{}{}: {}")
# The end of a literal, and what it is with its values.
DRIVE_FORMS = {
    "with APST off, links {}{}.": "with APST off, links {}.",
    "do not work{}{}{}.": "do not work ({}).",
    "is not split{}.": "is not split.",
    "bursts in {} blocks{}: {}.": "bursts in {} blocks: {}.",
    "512 bytes: {}{}; carrying the difference takes {} on {}.":
        "512 bytes: {}; carrying the difference takes {} on {}.",
    "back to within {} (5 %) of steady after {}":
        "back to within {} (5 %) of steady after {} reads",
    "(the drive is in PS{} then)":
        "{}, {}, {} bursts in {} blocks (the drive is in PS{} then): {}.",
    "; with APST off, as it is here, such a drive never lets the link into L1.2":
        "An exit that was measured with L1.2 and APST on is then that of link and drive together "
        "and is not split; with APST off, as it is here, such a drive never lets the link into "
        "L1.2.",
    ", waking the link included": "{}, waking the link included",
    ", the link woken first": "{}, the link woken first",
    "(not resolved)": "{} (not resolved)",
}


def joined(literal: str) -> str:
    text = re.sub(r'"\s*"', "", literal)[1:-1]
    text = re.sub(r"%[.0-9]*(?:z|l|ll)?[a-z]", "{}", text.replace("%%", "%"))
    return text.replace("{} ns", "{}")


def said(source: str) -> set[str]:
    """Reasons and notes: literals with more than one word; functions named warn_… only warn."""
    source = re.sub(r"^static void warn_.*?^}", "", source, flags=re.M | re.S)
    found = [m.group(2) for m in CALL.finditer(source)]
    found += [m.group(1) for m in PLAIN.finditer(source)]
    return {t for t in map(joined, found) if " " in t.strip() and not t.startswith(OTHER)}


def sentences(source: str) -> set[str]:
    """Sentences and cells of the makers of a drive's tables."""
    found = set()
    for match in re.finditer(LITERAL, re.sub(r"^#include.*$", "", source, flags=re.M)):
        text = joined(match.group(0))
        for one in re.split(r"(?<=\.) |(?<=\.)(?=\{\})", text):
            one = re.sub(r"^(\{\})? ", "", one).removesuffix(" ")
            for form, whole in DRIVE_FORMS.items():
                if one.endswith(form):
                    one = one.removesuffix(form) + whole
                    break
            if " " in one and one not in DRIVE_OTHER:
                found.add(one)
    return found


def phrases(text: str) -> dict[str, str]:
    pairs = re.findall(r"PHRASE\((" + LITERAL + r"),\s*(" + LITERAL + r")\)", text)
    return {joined(en): joined(zh) for en, zh in pairs}


def main() -> int:
    top = pathlib.Path(sys.argv[1])
    known = phrases((top / "report/phrases.def").read_text())
    wrong = [f"phrases.def: {en!r}: {en.count('{}')} values, {zh.count('{}')} in Chinese"
             for en, zh in known.items() if en.count("{}") != zh.count("{}")]
    count = 0
    for path in sorted((top / "report").glob("attribute*.c")):
        if path.name == "attribute_words.c":
            continue
        for text in said(path.read_text()):
            count += 1
            if text not in known:
                wrong.append(f"{path.name}: {text!r} has no phrase")
    for path in sorted([*(top / "report").glob("drive*.c"), top / "report/burst.c"]):
        for text in sentences(re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)):
            count += 1
            if text not in known:
                wrong.append(f"{path.name}: {text!r} has no phrase")
    strings = re.findall(r"STR\((\w+),\s*(" + LITERAL + r"),\s*(" + LITERAL + r")\)",
                         (top / "report/strings.def").read_text())
    wrong += [f"strings.def: {name} has no Chinese" for name, en, zh in strings
              if " " in en and zh == en]
    print("\n".join(wrong) or f"{count} reasons and notes, {len(strings)} strings: both languages")
    assert count > 25 and len(strings) > 100, (count, len(strings))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
