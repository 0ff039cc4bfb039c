import { isBootId } from '../../model/boot-id.ts'
import { invariant } from '../../model/invariant.ts'
import { posixQuote } from '../../model/posix-quote.ts'

/**
 * What we ask of a machine, as a script for `sh -s`: it goes in by standard input, so that the login shell of the
 * account, of whatever kind, sees nothing but these two words. The braces around all of it matter: a shell reads up to
 * the closing one before it does anything, so that a connection that breaks meanwhile does nothing at all.
 *
 * Only the first lines differ from machine to machine: quoted words and validated ids. The machine answers in lines
 * that begin with the mark, among whatever else is printed there:
 *
 *     boot ID · refused TEXT · may · other · sent · ended CODE
 *
 * Law: a reboot command acts on the recorded boot id alone.
 */
interface ScriptFacts {
  /** Tells our lines from all others; letters and digits. */
  readonly mark: string
  readonly command: readonly string[]
}

/** Asks and does nothing. */
export function checkScript(facts: ScriptFacts): string {
  return `{\n${givenLines(facts)}${ASK}${CHECK}}\n`
}

/** Reboots where the boot id is still that one. */
export function rebootScript(facts: ScriptFacts, expectedBootId: string): string {
  invariant(isBootId(expectedBootId), 'a boot id is checked before it is sent')
  return `{\n${givenLines(facts)}want='${expectedBootId}'\n${ASK}${REBOOT}}\n`
}

function givenLines({ mark, command }: ScriptFacts): string {
  invariant(/^[0-9A-Za-z]+$/.test(mark), 'a mark is letters and digits')
  return `mark='${mark}'\nset -- ${command.map(posixQuote).join(' ')}\n`
}

/**
 * `say` begins with a line break: the line must be ours alone, whatever was printed before. `may` asks sudo for this
 * very command; `sudo -n true` would refuse an account that may reboot and nothing else.
 */
const ASK = `PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
say() { printf '\\n%s %s %s\\n' "$mark" "$1" "$2"; }
may() {
  command -v "$1" >/dev/null 2>&1 || { say refused "there is no command $1"; return 1; }
  case \${1##*/} in
  sudo)
    sudo=$1
    shift
    why=$("$sudo" -n -l "$@" 2>&1 >/dev/null </dev/null) || { say refused "sudo: \${why:-it may not run $*}"; return 1; }
    ;;
  *)
    uid=$(id -u)
    [ "$uid" = 0 ] || { say refused "uid $uid is not root, and the command does not begin with sudo"; return 1; }
    ;;
  esac
}
boot=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)
say boot "$boot"
`

const CHECK = `may "$@" && say may
`

/** From \`sent\` on the command must not die of our connection: neither by its end nor by having nobody to talk to. */
const REBOOT = `if [ "$boot" != "$want" ]; then
  say other
elif may "$@"; then
  trap '' HUP PIPE
  say sent
  "$@" </dev/null >&2
  say ended $?
fi
`
