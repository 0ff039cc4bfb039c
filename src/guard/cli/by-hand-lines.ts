import { flagWords } from '../../ground/text/flag-words.ts'
import { blockLines, type NextStep } from '../../ground/text/labelled-block.ts'
import type { Line } from '../../ground/text/terminal/style.ts'
import type { NodeExplanation } from '../decide/from-status/explain-node.ts'
import type { CheckedGuard } from '../decide/guard-kind.ts'
import type { ByHand } from '../model/node-guard.ts'
import { personText } from './explain-lines.ts'
import type { GuardCommands } from './guard-place.ts'

/** What a person wrote, and how the node stands then. */
interface ByHandNotice {
  readonly guard: CheckedGuard
  readonly command: 'release' | 'hold'
  readonly entry: ByHand
  readonly isRemoved: boolean
  readonly isChanged: boolean
  /** Entries of other persons for the same node. */
  readonly left: readonly ByHand[]
  /** Absent: there is no such Node any more. */
  readonly explanation?: NodeExplanation
  readonly commands: GuardCommands
}

export function byHandLines(notice: ByHandNotice, columns: number): readonly Line[] {
  const others = notice.left.map((entry) => `${PAST[notice.command]} by ${personText(entry)} as well`)
  const rows = [
    { label: 'then', texts: [thenText(notice)] },
    { label: 'also', texts: others },
    { label: 'next', texts: nextAfter(notice) },
  ]
  const { namespace, name } = notice.guard
  return blockLines({ word: 'DONE', title: `${namespace}/${name}: ${doneText(notice)}`, rows }, columns)
}

export const nothingLines = ({ guard: { namespace, name }, command, entry }: ByHandNotice): readonly Line[] => [
  [`${namespace}/${name}: nothing to do: ${entry.node} is not ${PAST[command]} by ${entry.by}`],
]

const PAST = { release: 'released', hold: 'held' } as const

function doneText({ command, entry, isRemoved }: ByHandNotice): string {
  if (isRemoved) return `${entry.node} is not ${PAST[command]} by ${entry.by} any more`
  return `${entry.node} is ${PAST[command]} by ${personText(entry)}`
}

/** What happens next, by where the node stands. */
function thenText({ command, entry: { node }, isRemoved, left, explanation }: ByHandNotice): string {
  if (explanation === undefined) return `there is no Node ${node} any more`
  const { state, steps, releases } = explanation
  if (command === 'hold' && !isRemoved)
    return releases.length > 0
      ? `a release of ${node} is stronger, and lasts until ${releases[0]?.until}`
      : heldThen(state, node)
  if (left.length > 0) return `it stays ${PAST[command]}`
  if (isRemoved)
    return command === 'hold' ? `${node} is granted in its turn, once all of its holds are clear` : backThen(node)
  const queue = steps.find(({ about }) => about === 'queue')
  return releasedThen(state, node, queue?.text)
}

function heldThen(state: string, node: string): string {
  if (state === 'Granted') return `the grant of ${node} is taken back, unless its guard was evicted a moment before`
  if (state === 'Draining') return `the guard of ${node} is gone already, so this holds the next drain of it`
  return `${node} is not granted, whatever its other holds say`
}

const backThen = (node: string): string =>
  `${node} is granted once all of its holds are clear; a grant is taken back where one is not, unless the guard was evicted`

function releasedThen(state: string, node: string, queue: string | undefined): string {
  switch (state) {
    case 'Granted':
      return `${node} is granted already`
    case 'Draining':
    case 'Degraded':
      return `other nodes of the group do not wait for the guard of ${node} until then`
    case 'Conflict':
      return `a conflict is not passed over: it has to be solved first`
    case 'Held':
    case 'Requested':
      return `${node} is granted in its turn${queue === undefined ? '' : `: ${queue}`}`
    default:
      return `nothing happens before ${node} is cordoned or drained`
  }
}

function nextAfter({
  command,
  entry: { node, by },
  isRemoved,
  commands: { guard },
}: ByHandNotice): readonly NextStep[] {
  const watch = { command: guard('status', '--watch'), note: 'follow it' }
  const back = { command: guard(command, '--node', node, ...flagWords('--by', by), '--remove'), note: 'take it back' }
  return isRemoved ? [watch] : [watch, back]
}

/** For scripts. */
export function byHandDocument(notice: ByHandNotice): object {
  const { guard, command, entry, isRemoved, isChanged, left, explanation } = notice
  return {
    ...{ namespace: guard.namespace, name: guard.name },
    command,
    ...entry,
    removed: isRemoved,
    changed: isChanged,
    others: left,
    ...(explanation === undefined ? {} : { state: explanation.state }),
    text: thenText(notice),
    next: isChanged ? nextAfter(notice).map((step) => step.command) : [],
  }
}
