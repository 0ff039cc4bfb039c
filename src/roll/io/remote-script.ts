import { isBootId } from '../../ground/model/boot-id.ts'
import { invariant } from '../../ground/model/invariant.ts'
import { posixQuote } from '../../ground/model/posix-quote.ts'
import type { NeedQuestion } from '../../ground/model/reboot-need.ts'
import { SUDO_PASSWORD } from './sudo-password.ts'

/**
 * What we ask of a machine, as a script for `sh -s`: it goes in by standard input, so that the login shell of the
 * account, of whatever kind, sees nothing but these two words. The braces around all of it matter: a shell reads up to
 * the closing one before it does anything, so that a connection that breaks meanwhile does nothing at all.
 *
 * Only quoted words and validated ids differ from machine to machine. The machine answers in lines
 * that begin with the mark, among whatever else is printed there:
 *
 *     boot ID · refused TEXT · may · other · sent · ended CODE
 *     sentinel there|absent|unseen DIRECTORY · packages LIST · unrun TEXT · ran CODE
 *
 * Law: a reboot command acts on the recorded boot id alone.
 */
interface ScriptInput {
  /** Marks our lines among all others; letters and digits. */
  readonly mark: string
  readonly command: readonly string[]
}

/** Reads and changes nothing. */
export function checkScript(input: ScriptInput, need: NeedQuestion = {}): string {
  return `{\n${givenLines(input)}${ASK}${CHECK}${needLines(need)}}\n`
}

/** Reboots if the boot id is still this one. */
export function rebootScript(input: ScriptInput, expectedBootId: string): string {
  invariant(isBootId(expectedBootId), 'a boot id is checked before it is sent')
  return `{\n${givenLines(input)}want='${expectedBootId}'\n${ASK}${REBOOT}}\n`
}

function givenLines({ mark, command }: ScriptInput): string {
  invariant(/^[0-9A-Za-z]+$/.test(mark), 'a mark is letters and digits')
  return `mark='${mark}'\nset -- ${command.map(posixQuote).join(' ')}\n`
}

function needLines({ sentinel, command }: NeedQuestion): string {
  const file = sentinel === undefined ? '' : `${SHOW_FILE}look ${posixQuote(sentinel)}\n`
  return command === undefined ? file : `${file}${RUN}run ${command.map(posixQuote).join(' ')}\n`
}

/**
 * `say` begins with a line break: the line must be ours alone, whatever was printed before it. `can` asks sudo for this very
 * command, and then whether it runs without a password; `sudo -n true` would refuse an account that may only reboot.
 */
const ASK = `PATH=$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
${SUDO_PASSWORD}say() { printf '\\n%s %s %s\\n' "$mark" "$1" "$2"; }
may() {
  can refused "$@" || return 1
  case \${1##*/} in
  sudo) ;;
  *)
    uid=$(id -u)
    [ "$uid" = 0 ] || { say refused "uid $uid is not root, and the command does not begin with sudo"; return 1; }
    ;;
  esac
}
can() {
  no=$1
  shift
  command -v "$1" >/dev/null 2>&1 || { say "$no" "there is no command $1"; return 1; }
  case \${1##*/} in
  sudo)
    sudo=$1
    shift
    why=$("$sudo" -n -l "$@" 2>&1 >/dev/null </dev/null) || { say "$no" "sudo: \${why:-it may not run $*}"; return 1; }
    [ "$(id -u)" = 0 ] && return
    told=$(LC_ALL=C "$sudo" -n -l "$@" 2>/dev/null </dev/null)
    if [ "$(asks "$told")" = password ]; then
      say "$no" "sudo: a password is required for $told"
      return 1
    fi
    ;;
  esac
}
boot=$(cat /proc/sys/kernel/random/boot_id 2>/dev/null)
say boot "$boot"
`

const CHECK = `may "$@" && say may
`

/**
 * A file that is not visible counts as absent only where its directory may be searched, or the nearest directory above that
 * exists. At most one of our lines is read of the list of packages.
 */
const SHOW_FILE = `part() { dd if="$2" bs=1800 skip="$1" count=1 2>/dev/null | tr '\\n\\000' '  '; }
look() {
  if [ -e "$1" ] || [ -h "$1" ]; then
    if [ -f "$1.pkgs" ]; then
      say packages "$(part 0 "$1.pkgs")"
      [ -z "$(part 1 "$1.pkgs")" ] || say cut
    fi
    say sentinel there
    return
  fi
  above=\${1%/*}
  while [ -n "$above" ] && ! [ -e "$above" ]; do above=\${above%/*}; done
  if [ -x "\${above:-/}" ]; then say sentinel absent; else say sentinel "unseen $above"; fi
}
`

/** sudo ends with 1 where it is not allowed, and so may a command that answers: therefore sudo is asked first. */
const RUN = `run() {
  can unrun "$@" || return
  "$@" </dev/null >/dev/null
  say ran $?
}
`

/** After \`sent\` the end of our connection must not kill the command, and neither must a write to it. */
const REBOOT = `if [ "$boot" != "$want" ]; then
  say other
elif may "$@"; then
  trap '' HUP PIPE
  say sent
  "$@" </dev/null >&2
  say ended $?
fi
`
