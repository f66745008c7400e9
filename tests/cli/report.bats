#!/usr/bin/env bats
# report and compare: results again without hardware, and differences between them.
bats_require_minimum_version 1.5.0

setup_file() {
	[ -n "${PCIELAT-}" ] || skip "the program is not built"
	export results=$BATS_FILE_TMPDIR/results
	"$(dirname "$PCIELAT")/tests/report/make_fixtures" "$results"
}

setup() {
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here" || exit
}

@test "report shows the table of a result and writes nothing" {
	run --separate-stderr "$PCIELAT" report "$results/am5/results.json"
	[ "$status" -eq 0 ]
	[[ $output == *"chipset x2 PROM21"* ]]
	[[ $output == *"The chipset adds 570 ns"* ]]
	[ -z "$(ls)" ]
}

@test "the folder of a run stands for its results" {
	"$PCIELAT" report "$results/am5/results.json" >file.txt
	"$PCIELAT" report "$results/am5" >folder.txt
	"$PCIELAT" report "$results/am5/" >slash.txt
	cmp file.txt folder.txt
	cmp file.txt slash.txt
	run "$PCIELAT" report .
	[ "$status" -ne 0 ]
	[[ $output == *"./results.json cannot be read: No such file"* ]]
}

@test "a fifo is not waited for" {
	mkfifo pipe
	run timeout 10 "$PCIELAT" report pipe
	[ "$status" -eq 2 ]
	[[ $output == *"pipe is not a results file"* ]]
	cp "$results/am5/results.json" .
	mkfifo samples.bin
	run timeout 10 "$PCIELAT" report results.json
	[ "$status" -eq 0 ]
}

@test "the record of a watch is not taken for results" {
	run "$PCIELAT" report "$results/am5/watch.json"
	[ "$status" -eq 2 ]
	[[ $output == *"is the record of a watch (pcielat monitor), not the results of a run"* ]]
	python3 - "$results/am5/watch.json" <<-'END'
		import json, sys
		text = open(sys.argv[1]).read()
		first = json.loads(text.splitlines()[0])
		open("blank.json", "w").write("\n  " + text)
		open("sorted.json", "w").write(json.dumps(first, sort_keys=True))
		open("pretty.json", "w").write(2 * json.dumps(first, indent=1))
	END
	for file in blank sorted pretty; do
		run "$PCIELAT" report $file.json
		[ "$status" -eq 2 ]
		[[ $output == *"$file.json is the record of a watch (pcielat monitor), "* ]]
	done
	cat "$results/am5/results.json" "$results/am5/watch.json" >both.json
	run "$PCIELAT" report both.json
	[ "$status" -eq 2 ]
	[[ $output == *"both.json is not a results file: line "* ]]
}

@test "report makes everything again from a page alone" {
	"$PCIELAT" report "$results/am5/report.html" -o again >/dev/null
	diff <(tail -n +5 "$results/am5/summary.csv") <(tail -n +5 again/summary.csv)
	diff "$results/am5/effects.csv" again/effects.csv
	[ -s again/report.html ]
}

@test "report to stdout is silent otherwise" {
	"$PCIELAT" report "$results/am5/results.json" --markdown | head -1 | grep -q 'Test system'
	"$PCIELAT" report "$results/am5/results.json" --openmetrics | tail -1 | grep -qx '# EOF'
	"$PCIELAT" report "$results/am5/results.json" --json | python3 -m json.tool >/dev/null
	"$PCIELAT" report "$results/am5/results.json" --html --lang zh-CN | grep -q 'lang="zh-CN"'
	"$PCIELAT" report "$results/am5/results.json" --markdown --lang zh-CN |
		head -1 | grep -q '测试平台'
}

@test "a page without charts has no script to run" {
	"$PCIELAT" report "$results/am5/results.json" --html=x.html --no-charts >/dev/null
	run grep -c '<script>' x.html
	[ "$output" = 0 ]
	[ "$(stat -c %s x.html)" -lt 300000 ]
}

@test "two boots of a board are merged, two boards are not" {
	sed 's/b3c1f6a0-0000-4000-8000-000000000001/other-boot/' "$results/am5/results.json" >b.json
	"$PCIELAT" report "$results/am5/results.json" b.json --json=m.json >/dev/null
	[ "$(grep -o '"boot":1' m.json | wc -l)" -gt 10 ]
	run "$PCIELAT" report "$results/am5/results.json" "$results/intel/results.json"
	[ "$status" -eq 2 ]
	[[ $output == *"use compare for boards"* ]]
}

@test "boards stand side by side in one page" {
	"$PCIELAT" report "$results/am5/results.json" --compare "$results/intel/results.json" \
		--html=ab.html >/dev/null
	grep -q 'Z890 Example PCI_E4' ab.html
}

@test "compare says no difference, and exit 7 when the limit is exceeded" {
	local base=$results/am5/results.json
	run "$PCIELAT" compare "$base" "$base" --fail-over 25ns
	[ "$status" -eq 0 ]
	[[ $output == *"no difference"* ]]
	mkdir slower
	# Every block of the drive in M2_1 is made 5 us slower, in the record only.
	python3 - "$results/am5/results.json" slower/results.json <<-'END'
		import json, sys
		record = json.load(open(sys.argv[1]))
		record["samples"] = None
		for m in record["measurements"]:
		    if m["probe"] == "nvme" and m["n"] and m["slot"].endswith("02.1/00.0"):
		        m["p50_ns"] += 5000
		        for row in m["blocks"]["rows"]:
		            row[5] += 5000
		json.dump(record, open(sys.argv[2], "w"))
	END
	run "$PCIELAT" compare "$base" slower/results.json --fail-over 1us
	[ "$status" -eq 7 ]
	[[ $output == *"over the limit"* ]]
	[[ $output == *"1 difference above 1us"* ]]
}

@test "a result compared with itself differs nowhere" {
	for fixture in am5 intel nothing hostile hostile-3 hostile-6; do
		run --separate-stderr "$PCIELAT" compare "$results/$fixture" "$results/$fixture" \
			--fail-over 1ns
		[ "$status" -eq 0 ]
		[[ $output == *"no difference"* ]]
		[[ $output != *faster* ]]
		[[ $output != *slower* ]]
		[[ $output != *"over the limit"* ]]
	done
}

@test "compare --fail-over is no pass where nothing could be compared" {
	run "$PCIELAT" compare "$results/am5" "$results/intel"
	[ "$status" -eq 0 ]
	run "$PCIELAT" compare "$results/am5" "$results/empty" --fail-over 1ns
	[ "$status" -eq 8 ]
	[[ $output == *"nothing could be compared: no slot, file or claim"* ]]
}

@test "what is not a result is one sentence and exit 2" {
	echo '{"schema": "pcielat.result", "schema_version": "9.0"}' >new.json
	run "$PCIELAT" report new.json
	[ "$status" -eq 2 ]
	[[ $output == *"newer pcielat"* ]]
	run "$PCIELAT" report missing.json
	[ "$status" -eq 2 ]
	run "$PCIELAT" compare "$results/am5/results.json"
	[ "$status" -eq 2 ]
	run "$PCIELAT" compare a b --fail-over soon
	[ "$status" -eq 2 ]
}

@test "a report is not written over what it is made from" {
	cp -r "$results/am5" own
	cp -r "$results/am5" other
	ln -s own link
	ln own/results.json hard.json
	ln -s own/samples.bin samples.link
	cp -r own before
	local formats=(--json --csv --html --markdown --openmetrics)
	for format in "${formats[@]}"; do
		for args in "own own/results.json" "own/results.json own/results.json" \
			"own link/results.json" "link/ own/results.json" "own hard.json" \
			"own own/samples.bin" "own/results.json samples.link" \
			"own/report.html own/report.html" "other own own/results.json" \
			"other --compare=own own/results.json"; do
			# shellcheck disable=SC2086
			run "$PCIELAT" report ${args% *} "$format=${args##* }"
			[ "$status" -eq 2 ]
			[[ $output == *" is the file that is read: nothing is written to it" ]]
		done
	done
	for args in "own other -o own" "own other -o other" "own/report.html -o link" \
		"hard.json -o own" \
		"other --compare=own -o own" "own --compare=own/report.html -o own"; do
		# shellcheck disable=SC2086
		run "$PCIELAT" report $args
		[ "$status" -eq 2 ]
		[[ $output == *" is a file that is read: "*"; give -o another folder" ]]
	done
	diff -r before own
	diff -r "$results/am5" other
}

@test "a report into its own folder changes nothing that was measured" {
	"$PCIELAT" report "$results/am5" -o own >/dev/null
	cp -r own before
	for args in "own -o own" "own/results.json -o own" "own --compare=$results/intel -o own"; do
		# shellcheck disable=SC2086
		"$PCIELAT" report $args >/dev/null
		rm before/report.html
		cp own/report.html before/
		diff -r before own
	done
	"$PCIELAT" report own --markdown=own/report.md --html=own/again.html
}
