#!/usr/bin/env python3
"""check_files.py SCHEMA WATCH_SCHEMA DIR...: what programs will read is as documented.

Every results.json and every line of watch.json follows the schema and has no key that the schema
does not name; the CSV family parses, joins with the JSON and cannot start a formula; report.html
holds no foreign markup and the embedded record equals results.json; samples.bin gives the medians
again.
"""
import base64
import csv
import gzip
import html.parser
import json
import pathlib
import struct
import sys

import jsonschema

CSV_FILES = ("summary.csv", "runs.csv", "histogram.csv", "effects.csv")
BIDI = set("\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def closed(node):
    """The schema with every object closed: finds keys that are written but not documented."""
    if isinstance(node, dict):
        node = {key: closed(value) for key, value in node.items()}
        if "properties" in node:
            node["additionalProperties"] = False
    elif isinstance(node, list):
        node = [closed(value) for value in node]
    return node


def refuse_nan(text):
    raise ValueError(f"not JSON: {text}")


def no_controls(text, where):
    bad = [c for c in text if (ord(c) < 32 and c not in "\n") or c in BIDI or 127 <= ord(c) < 160]
    assert not bad, f"{where}: control characters {bad[:5]!r}"


def check_json(folder, schema):
    text = (folder / "results.json").read_bytes().decode("utf-8")
    no_controls(text, "results.json")
    document = json.loads(text, parse_constant=refuse_nan)
    jsonschema.Draft202012Validator(closed(schema)).validate(document)
    for measurement in document["measurements"]:
        done = measurement["outcome"] in ("measured", "partial")
        assert done or measurement["reason"], f"no reason: {measurement['id']}"
        bins = (measurement["histogram"] or {"bins": []})["bins"]
        assert sum(count for _, count in bins) == measurement["n"], "histogram loses samples"
    for effect in document["effects"]:
        assert effect["status"] == "resolved" or effect["reason"], "a claim without a reason"
    return document


def check_watch(folder, schema, results_schema):
    """One document a line; what it has in common with results refers to their schema."""
    store = {results_schema.name: closed(json.loads(results_schema.read_text()))}
    resolver = jsonschema.RefResolver("", schema, store)
    lines = (folder / "watch.json").read_text().splitlines()
    assert lines, "no document"
    for line in lines:
        no_controls(line, "watch.json")
        document = json.loads(line, parse_constant=refuse_nan)
        jsonschema.Draft202012Validator(closed(schema), resolver=resolver).validate(document)
        for find in (document["period"], document["gap_step"]):
            assert find["found"] == (find["why_not"] is None), "no reason, or one too many"
        counted = sum(count for _, count in document["histogram"])
        assert counted == document["summary"]["n"], "histogram loses reads"


def check_csv(folder, document):
    ids = {str(m["id"]): m for m in document["measurements"]}
    for name in CSV_FILES:
        text = (folder / name).read_bytes().decode("utf-8")
        no_controls(text, name)
        rows = list(csv.reader(text.splitlines(), strict=True))
        assert all(len(row) == len(rows[0]) for row in rows), f"{name}: ragged"
        for row in rows[1:]:
            for value in row:
                number = value.lstrip("-").replace(".", "", 1).isdigit()
                assert number or value[:1] not in ("=", "+", "-", "@"), f"{name}: {value[:40]}"
    rows = list(csv.DictReader((folder / "summary.csv").open(newline="")))
    assert len(rows) == len(ids)
    for row in rows:
        p50 = ids[row["measurement_id"]]["p50_ns"]
        assert row["p50_ns"] == ("" if p50 is None else f"{p50:.3f}"), row["p50_ns"]
    effects = list(csv.DictReader((folder / "effects.csv").open(newline="")))
    assert len(effects) == len(document["effects"])


class Page(html.parser.HTMLParser):
    """Collects what could load or run something, and the embedded record."""

    def __init__(self):
        super().__init__()
        self.tags, self.data, self.record, self.policy, self.inside = set(), [], "", "", ""

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.tags.add(tag)
        assert not any(name.startswith("on") for name in attrs), attrs
        assert "src" not in attrs, attrs
        assert not attrs.get("href", "#").startswith(("http", "javascript")), attrs
        self.inside = attrs.get("id", "") if tag == "script" else ""
        assert tag != "script" or attrs.get("type") or not attrs, attrs
        if attrs.get("http-equiv") == "Content-Security-Policy":
            self.policy = attrs["content"]

    def handle_data(self, data):
        if self.inside == "pcielat-result-gz":
            self.record += gzip.decompress(base64.b64decode(data, validate=True)).decode()

    def handle_endtag(self, tag):
        self.inside = ""


def check_html(folder, document):
    text = (folder / "report.html").read_bytes().decode("utf-8")
    page = Page()
    page.feed(text)
    assert "default-src 'none'" in page.policy and "unsafe-eval" not in page.policy
    assert not page.tags & {"img", "iframe", "object", "embed", "link", "b", "form"}, page.tags
    record = json.loads(page.record)
    assert record["measurements"] or not document["measurements"]
    for one, other in zip(record["measurements"], document["measurements"]):
        assert one["p99_ns"] == other["p99_ns"]
    if document["stamp"]:
        assert "class=\"stamp\"" in text


def check_samples(folder, document):
    data = (folder / "samples.bin").read_bytes()
    assert data[:8] == b"PCIELATS" and struct.unpack("<II", data[8:16]) == (1, 0)
    for measurement in document["measurements"]:
        place = measurement["samples"]
        if not place:
            continue
        kind = {4: "I", 8: "Q"}[place["element_bytes"]]
        ticks = sorted(struct.unpack_from(f"<{place['count']}{kind}", data, place["offset_bytes"]))
        median = ticks[(len(ticks) + 1) // 2 - 1] * place["ns_per_tick"]
        assert abs(median - measurement["p50_ns"]) < 0.001, (median, measurement["p50_ns"])
        assert place["block_start"][-1] == place["count"]


def main():
    files = [pathlib.Path(name) for name in sys.argv[1:3]]
    schema, watch_schema = (json.loads(file.read_text()) for file in files)
    for each in (schema, watch_schema):
        jsonschema.Draft202012Validator.check_schema(each)
    for name in sys.argv[3:]:
        folder = pathlib.Path(name)
        document = check_json(folder, schema)
        check_watch(folder, watch_schema, files[0])
        check_csv(folder, document)
        check_html(folder, document)
        check_samples(folder, document)
        print(f"{folder.name}: {len(document['measurements'])} series, all files as documented")


if __name__ == "__main__":
    main()
