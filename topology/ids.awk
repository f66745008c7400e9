# bridge_ids.tsv -> the rows of a C table (topology/ids.c includes the result). Any awk will do.
BEGIN { FS = "\t" }
/^#/ || NF == 0 { next }
NF != 5 {
	printf "bridge_ids.tsv:%d: %d columns, 5 wanted\n", FNR, NF > "/dev/stderr"
	exit 1
}
function text(s) {
	if (s == "-")
		return "NULL"
	gsub(/\\/, "\\\\", s)
	gsub(/"/, "\\\"", s)
	return "\"" s "\""
}
{
	split($1, id, ":")
	role = toupper($2)
	gsub(/-/, "_", role)
	printf "{0x%s, 0x%s, PL_ROLE_%s, %s, %s},\n", id[1], id[2], role, text($3), text($4)
}
