import { type Command, Option } from 'commander'
import type { Wired } from '../../cli/print-result.ts'
import { explainNode } from '../decide/from-status/explain-node.ts'
import { findGuard, findNode } from '../run/commands/find-guard.ts'
import { type Explained, explainDocument, explainLines } from './explain-lines.ts'
import { guardCommands } from './guard-place.ts'
import { addGuardSub, type GuardActions, type GuardCall, looksAlike } from './sub-command.ts'

const EXAMPLE = `
Example: why n1 is not drained
  evenkeel guard explain nodeguard/storage --node n1 -n data

It goes by the status of the NodeGuard and by the Node, and asks no hold itself.
The controller asks the holds of a node that is cordoned or being drained, and
writes what they said to the status.

Exit codes: 0 explained; 1 the API cannot be queried; 2 wrong usage, or there is
no such NodeGuard or Node.`

/** `--node`, without which none of these commands means anything. */
export const nodeOption = (): Option => new Option('--node <name>', 'the node').makeOptionMandatory()

export function addExplain(guard: Command, wired: Wired<GuardActions>): void {
  const command = guard
    .command('explain')
    .summary('say what keeps a node from being drained')
    .argument('<target...>', 'nodeguard/NAME, or ng/NAME')
    .addOption(nodeOption())
    .addHelpText('after', EXAMPLE)
  addGuardSub<{ readonly node: string }>(command, wired, async (call, { node }) => {
    const explained = await explain(call, node)
    return {
      code: 0,
      lines: (columns) => explainLines(explained, columns),
      document: explainDocument(explained),
    }
  })
}

/** Reads the object and the Node. Rejects with UserError where one of them is not there, and with WorldError. */
export async function explain({ ground, namespace, name = '', place, context, signal }: GuardCall, node: string) {
  const { objects, cluster } = ground
  const guard = await findGuard({ objects, looksAlike }, { namespace, name }, signal)
  const found = await findNode({ objects, cluster, looksAlike }, node, signal)
  const now = context.clock.wallMs()
  const explained: Explained = {
    ...{ guard, now, node: found.name },
    explanation: explainNode(guard, found, now),
    commands: guardCommands(guard, place),
  }
  return explained
}
