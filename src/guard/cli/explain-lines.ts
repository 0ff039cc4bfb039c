import { formatDuration } from '../../ground/model/duration.ts'
import { present } from '../../ground/model/present.ts'
import { REASONS, type ReasonCode } from '../../ground/model/reasons/catalogue.ts'
import type { WallMs } from '../../ground/model/time.ts'
import { flagWords } from '../../ground/text/flag-words.ts'
import { type BlockRow, blockLines, type NextStep } from '../../ground/text/labelled-block.ts'
import type { Line, Tone } from '../../ground/text/terminal/style.ts'
import type { NodeExplanation } from '../decide/from-status/explain-node.ts'
import { guardStateOf } from '../decide/from-status/guard-state.ts'
import type { CheckedGuard } from '../decide/guard-kind.ts'
import { clearText } from '../model/holds/hold-kinds.ts'
import type { ByHand } from '../model/node-guard.ts'
import type { GuardCommands } from './guard-place.ts'

/** One node of one guard, with what the commands that follow need. */
export interface Explained {
  readonly guard: CheckedGuard
  readonly node: string
  readonly now: WallMs
  readonly explanation: NodeExplanation
  readonly commands: GuardCommands
}

const TONES: Readonly<Record<string, Tone>> = { HELD: 'hold', CONFLICT: 'hold', DEGRADED: 'hold', GRANTED: 'work' }

/** For people: what stands before the eviction, in the order in which it is decided. */
export function explainLines(explained: Explained, columns: number): readonly Line[] {
  const { explanation } = explained
  const word = explanation.state === 'NotListed' ? 'NOT LISTED' : explanation.state.toUpperCase()
  const tone = TONES[word]
  const block = { word, title: titleOf(explained), rows: rowsOf(explained) }
  return blockLines(tone === undefined ? block : { ...block, tone }, columns)
}

function titleOf({ guard, node, now, explanation: { state, message, since } }: Explained): string {
  const at = Date.parse(since ?? '')
  const forText = Number.isNaN(at) ? '' : ` for ${formatDuration(Math.max(0, now - at))}`
  const of = `${node} of ${guard.namespace}/${guard.name}`
  if (message !== undefined) return `${of}${forText}: ${message}`
  if (state === 'Requested') return `${of}${forText}: it waits for its turn`
  return `${of}${forText}`
}

function rowsOf(explained: Explained): readonly BlockRow[] {
  const { guard, node, explanation } = explained
  const { kind, why } = guardStateOf(guard)
  return [
    ...explanation.steps.map(({ about, text }) => ({ label: about, texts: [text] })),
    { label: 'holds', texts: guard.spec.holds.length === 0 ? [noHoldsText(guard)] : holdTexts(explained) },
    { label: 'by hand', texts: [...byHandTexts(explanation), ...unreadableTexts(guard)] },
    { label: 'maxHold', texts: maxHoldTexts(guard) },
    { label: 'status', texts: kind === 'failed' || kind === 'unseen' ? [why] : [] },
    { label: 'help', texts: helpTexts(explanation, { guard: guard.name, node }) },
    { label: 'next', texts: nextOf(explained) },
  ]
}

const noHoldsText = ({ name }: CheckedGuard): string => `${name} has none: a node goes when it is its turn`

const holdTexts = ({ guard, node }: Explained): readonly string[] =>
  guard.spec.holds.map((hold) => `${hold.name}: ${clearText(hold, node)}`)

export const personText = ({ by, until, why }: ByHand): string =>
  `${by}${until === undefined ? ', until it is removed' : ` until ${until}`}${why === undefined ? '' : `: ${why}`}`

const byHandTexts = ({ heldByHand, releases }: NodeExplanation): readonly string[] => [
  ...heldByHand.map((entry) => `held by ${personText(entry)}`),
  ...releases.map((entry) => `released by ${personText(entry)}; a release is stronger than each hold`),
]

const unreadableTexts = ({ heldByHand, releases }: CheckedGuard): readonly string[] => [
  ...(heldByHand.unreadable === undefined
    ? []
    : [`every node is held, since the holds by hand cannot be read: ${heldByHand.unreadable}`]),
  ...(releases.unreadable === undefined
    ? []
    : [`the releases by hand cannot be read, so they release nothing: ${releases.unreadable}`]),
]

function maxHoldTexts({ spec: { maxHold } }: CheckedGuard): readonly string[] {
  if (maxHold === undefined) return []
  const after = `once it has asked for ${formatDuration(maxHold.afterMs)}, `
  return [
    maxHold.policy === 'Release'
      ? `${after}it is granted in its turn whatever its holds say, unless a person holds it`
      : `${after}an Event and a condition say so, and it stays held`,
  ]
}

/** What a person can do about the reason. */
function helpTexts({ reason }: NodeExplanation, of: { readonly guard: string; readonly node: string }) {
  const entry = reason !== undefined && Object.hasOwn(REASONS, reason) ? REASONS[reason as ReasonCode] : undefined
  if (entry === undefined || entry.cure === '' || entry.cure.startsWith('Nothing to do')) return []
  // What is next says the commands of this group, with their values.
  const sentences = entry.cure.split(/(?<=\.) /).filter((sentence) => !sentence.includes('evenkeel guard'))
  const cure = sentences.join(' ').replaceAll('`', '').replaceAll('NAME', of.guard).replaceAll('NODE', of.node)
  return cure === '' ? [] : [`${reason}: ${cure}`]
}

function nextOf({ guard, node, explanation, commands }: Explained): readonly NextStep[] {
  const { guard: evenkeel, kubectl } = commands
  const { state, heldByHand, releases, steps } = explanation
  const of = (...words: readonly string[]) => ['--node', node, ...words]
  const step = (command: string, note: string): NextStep => ({ command, note })
  const isShut = steps.some(({ about, is }) => about === 'asks' && is === 'shut')
  const watch = step(evenkeel('status', '--watch'), 'follow it')
  return [
    ...(isShut && state !== 'Draining' && state !== 'Degraded'
      ? [step(kubectl('drain', node, '--ignore-daemonsets'), 'asks for it, and waits until it is granted')]
      : []),
    ...(state === 'Draining' ? [step(kubectl('uncordon', node), 'once the work is done')] : []),
    ...(state === 'Degraded' || state === 'Conflict'
      ? [
          step(
            kubectl('-n', guard.namespace, 'get', 'pods', '-o', 'wide', '-l', `evenkeel.dev/guard=${guard.name}`),
            'its guards',
          ),
        ]
      : []),
    ...heldByHand.map(({ by }) =>
      step(evenkeel('hold', ...of(...flagWords('--by', by), '--remove')), `take back the hold of ${by}`),
    ),
    ...releases.map(({ by }) =>
      step(evenkeel('release', ...of(...flagWords('--by', by), '--remove')), `take back the release of ${by}`),
    ),
    ...(state === 'Held' || state === 'Requested' ? [watch] : []),
    ...(state === 'Held' && releases.length === 0
      ? [step(evenkeel('release', ...of('--for', '10min')), 'in an emergency: pass over its holds')]
      : []),
  ]
}

/** For scripts. */
export function explainDocument(explained: Explained): object {
  const { guard, node, explanation } = explained
  const { namespace, name, spec } = guard
  const { kind, code, why } = guardStateOf(guard)
  return {
    ...{ namespace, name, node },
    mode: spec.mode,
    group: spec.group,
    ...explanation,
    holds: spec.holds.map((hold) => ({ ...hold, text: clearText(hold, node) })),
    ...present({ maxHold: spec.maxHold }),
    guard: { outcome: kind, code, why },
    next: nextOf(explained).map(({ command }) => command),
  }
}
