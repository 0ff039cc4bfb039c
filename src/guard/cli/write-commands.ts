import { type Command, InvalidArgumentError, Option } from 'commander'
import { duration } from '../../cli/flag-values.ts'
import type { Wired } from '../../cli/print-result.ts'
import { formatDuration } from '../../ground/model/duration.ts'
import type { ByHandKind } from '../run/commands/change-guard.ts'
import { nodeOption } from './explain-command.ts'
import { type ByHandFlags, runByHand } from './run-by-hand.ts'
import { addGuardSub, type GuardActions } from './sub-command.ts'

const RELEASE_EXAMPLE = `
Example: let n1 go although its holds are not clear; it asks you to type the name of the node
  evenkeel guard release nodeguard/storage --node n1 --for 10min --why "disk is dead" -n data

Example: the same in a script
  evenkeel guard release nodeguard/storage --node n1 --for 10min --by on-call --yes -n data

Example: take it back
  evenkeel guard release nodeguard/storage --node n1 --remove -n data

The node is granted in its turn: one node of a group at a time, where the node
budget has room. A release is stronger than each hold, also one by hand. It is
of this NodeGuard alone: another one that guards the node has its own holds.`

const HOLD_EXAMPLE = `
Example: let no drain take n1 until the work on it is done
  evenkeel guard hold nodeguard/storage --node n1 --why "rebalancing" -n data

Example: take it back
  evenkeel guard hold nodeguard/storage --node n1 --remove -n data

A node whose guard was evicted already is not held by it any more.`

const CODES = `

Exit codes: 0 written, or it is so already; 1 the API refused it; 2 wrong usage,
there is no such NodeGuard or Node, the answer was another name, or what is
there does not allow it; 130 interrupted. Nothing is written in the last three
cases.`

interface WriteCommand {
  readonly name: 'release' | 'hold'
  readonly kind: ByHandKind
  readonly summary: string
  readonly help: string
}

const COMMANDS: readonly WriteCommand[] = [
  { name: 'release', kind: 'releases', summary: 'let a node be drained whatever holds it', help: RELEASE_EXAMPLE },
  { name: 'hold', kind: 'holds', summary: 'let no drain take a node', help: HOLD_EXAMPLE },
]

const LONGEST_RELEASE_MS = 24 * 3_600_000
const TEXT_MAX = 200

/** `evenkeel guard release` and `hold`. */
export function addGuardWrites(guard: Command, wired: Wired<GuardActions>): void {
  for (const { name, kind, summary, help } of COMMANDS) {
    const command = guard
      .command(name)
      .summary(summary)
      .argument('<target...>', 'nodeguard/NAME, or ng/NAME')
      .addOption(nodeOption())
      .addOption(forOption(name))
      .addOption(new Option('--why <text>', 'why, for those who look at it later').argParser(shortText))
      .addOption(
        new Option('--by <name>', 'whose entry it is (default: USER, else the user of the kubeconfig)').argParser(
          shortText,
        ),
      )
      .option('--remove', 'remove the entry')
      .option('--replace', 'write a new list if the existing one cannot be read')
    if (name === 'release') command.option('-y, --yes', 'do not ask')
    addGuardSub<ByHandFlags>(command.addHelpText('after', help + CODES), wired, (call, flags) =>
      runByHand({ call, flags, command: name, kind }),
    )
  }
}

const forOption = (name: WriteCommand['name']): Option =>
  name === 'release'
    ? new Option('--for <duration>', `for how long, at most ${formatDuration(LONGEST_RELEASE_MS)}`).argParser(upToADay)
    : new Option('--for <duration>', 'for how long (default: until it is removed)').argParser(duration)

function upToADay(text: string): number {
  const ms = duration(text)
  if (ms > LONGEST_RELEASE_MS) throw new InvalidArgumentError(`It is at most ${formatDuration(LONGEST_RELEASE_MS)}.`)
  return ms
}

/** As long as the annotation may have it. */
function shortText(text: string): string {
  const trimmed = text.trim()
  if (trimmed === '') throw new InvalidArgumentError('It cannot be empty.')
  if (trimmed.length > TEXT_MAX) throw new InvalidArgumentError(`It has at most ${TEXT_MAX} characters.`)
  return trimmed
}
