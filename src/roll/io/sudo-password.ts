/**
 * Shell functions that tell whether sudo asks for a password before a command. `sudo -l COMMAND` says only that it is permitted, and with
 * `-n` it needs no password as soon as any entry of the account has NOPASSWD (sudoers(5), `listpw`). The tag of the entry that applies is
 * in the list of all entries, and the last one that fits applies. Where a group needs none (sudoers(5), `exempt_group`), the account may be
 * in it.
 *
 * `asks PATH ARGUMENTS` prints `password`, or `none`, or nothing where the list does not tell: then the command itself will.
 */
export const SUDO_PASSWORD = `asks() {
  command -v awk >/dev/null 2>&1 || return 0
  LC_ALL=C "$sudo" -n -l 2>/dev/null </dev/null | awk -v want="$1" '
  function base(text, first) { first = text; sub(/ .*/, "", first); sub(/.*\\//, "", first); sub(/^[^ ]*/, first, text); return text }
  function fits(item, glob) {
    if (item == "ALL" || item == want || item == path) return 1
    if (item ~ /\\/$/) return index(path, item) == 1
    item = base(item)
    if (item == base(want) || item == base(path) || (item == base(path) " \\"\\"" && want == path)) return 1
    if (item ~ /[*?]/) {
      glob = item
      gsub(/[.+^$(){}|]/, "[&]", glob); gsub(/[*]/, ".*", glob); gsub(/[?]/, ".", glob)
      return base(want) ~ ("^" glob "$")
    }
    return 0
  }
  BEGIN { path = want; sub(/ .*/, "", path); usual = "password" }
  !list && /!authenticate|exempt_group=/ { usual = "none" }
  /may run the following commands/ { list = 1; next }
  !list { next }
  {
    sub(/^[ \\t]+/, "")
    if ($0 !~ /^\\(/) next
    who = $0; sub(/\\).*/, "", who); sub(/^\\(/, "", who); sub(/ *:.*/, "", who)
    if (("," who ",") !~ /[, ](ALL|root|#0)[, ]/) next
    sub(/^\\([^)]*\\) */, ""); gsub(/\\\\,/, "\\001")
    tag = usual; count = split($0, items, /, */)
    for (i = 1; i <= count; i++) {
      item = items[i]
      while (match(item, /^([A-Z_]+:|[A-Z_]+=[^ ]*|sha[0-9]+:[^ ]*) */)) {
        word = substr(item, 1, RLENGTH); item = substr(item, RLENGTH + 1)
        if (word ~ /^NOPASSWD:/) tag = "none"
        if (word ~ /^PASSWD:/) tag = "password"
      }
      gsub(/\\\\/, "", item); gsub(/\\001/, ",", item)
      if (item !~ /^!/ && fits(item)) found = tag
    }
  }
  END { if (found != "") print found }'
}
`
