import { formatMinSec } from '../../ground/model/duration.ts'
import { type BlockRow, blockLines, type NextStep } from '../../ground/text/labelled-block.ts'
import { type Column, tableLines } from '../../ground/text/table-lines.ts'
import type { Line, Tone } from '../../ground/text/terminal/style.ts'
import { type GuardState, guardCondition, guardStateOf } from '../decide/from-status/guard-state.ts'
import { type GuardStatus, type ListedNode, parseGuardStatus } from '../decide/from-status/parse-guard-status.ts'
import type { CheckedGuard } from '../decide/guard-kind.ts'
import type { GuardCommands } from './guard-place.ts'

const left = (title: string): Column => ({ title, align: 'left' })
const right = (title: string): Column => ({ title, align: 'right' })

/** A line for each guard; with `namespaced`, of which namespace. */
export function guardTable(guards: readonly CheckedGuard[], namespaced: boolean): readonly Line[] {
  if (guards.length === 0) return [['no NodeGuards']]
  const columns = [
    ...(namespaced ? [left('NAMESPACE')] : []),
    ...[left('NAME'), left('MODE'), left('GROUP'), right('GUARDED'), right('ASK'), right('HELD'), left('GRANTED')],
    left('STATUS'),
  ]
  const rows = guards.map((guard) => {
    const { desired, guarded, requested, held, granted } = parseGuardStatus(guard)
    return [
      ...(namespaced ? [guard.namespace] : []),
      ...[guard.name, guard.spec.mode, guard.spec.group, `${guarded}/${desired}`, String(requested), String(held)],
      granted ?? '-',
      guardStateOf(guard).code,
    ]
  })
  return tableLines(columns, rows).map((text): Line => [text])
}

/** `4 of 5 nodes are guarded, 2 ask, 1 is held, n1 is granted`. */
export function countsText({ desired, guarded, requested, held, granted }: GuardStatus): string {
  return [
    `${guarded} of ${desired} nodes are guarded`,
    ...(requested > 0 ? [`${requested} ${requested === 1 ? 'asks' : 'ask'}`] : []),
    ...(held > 0 ? [`${held} ${held === 1 ? 'is' : 'are'} held`] : []),
    ...(granted === undefined ? [] : [`${granted} is granted`]),
  ].join(', ')
}

/** Why a node is where it is; a node that only waits for its turn has no reason. */
export const nodeWhy = ({ state, message }: ListedNode): string =>
  message ?? (state === 'Requested' ? 'waits for its turn' : '-')

interface Show {
  readonly now: number
  /** So many nodes at most. */
  readonly most: number
}

/** The nodes that are not Armed. */
export function guardNodeLines({ nodes, truncated }: GuardStatus, { now, most }: Show): readonly Line[] {
  if (nodes.length === 0) return []
  const shown = nodes.length > most ? nodes.slice(0, Math.max(1, most - 1)) : nodes
  const rows = shown.map((node) => {
    const since = Date.parse(node.since ?? '')
    return [node.name, node.state, Number.isNaN(since) ? '-' : formatMinSec(now - since), nodeWhy(node)]
  })
  const rest = nodes.length - shown.length
  return [
    ...tableLines([left('NODE'), left('STATE'), right('FOR'), left('WHY')], rows).map((text): Line => [text]),
    ...(rest > 0 || truncated ? [[`  and ${rest > 0 ? rest : 'some'} more`]] : []),
  ]
}

interface Head {
  readonly word: string
  readonly tone?: Tone
}

function headOf({ kind }: GuardState, { nodes, guarded, desired }: GuardStatus): Head {
  if (kind === 'failed') return { word: 'STOPPED', tone: 'stop' }
  if (kind === 'held' || kind === 'unseen') return { word: 'HELD', tone: 'hold' }
  return nodes.length === 0 && guarded === desired ? { word: 'READY' } : { word: 'GOING', tone: 'work' }
}

const MOST_NODES = 50
const CONDITIONS = ['Held', 'Degraded', 'Conflict', 'Stalled']

interface GuardScene {
  readonly guard: CheckedGuard
  readonly commands: GuardCommands
  readonly now: number
  /** The command was interrupted. */
  readonly isCut?: boolean
}

/** One guard in full: its nodes, where it stands, and what to type next. */
export function guardLines({ guard, commands, now, isCut = false }: GuardScene, columns: number): readonly Line[] {
  const status = parseGuardStatus(guard)
  const state = guardStateOf(guard)
  const title = `${guard.namespace}/${guard.name}: ${state.why}`
  const head: Head & { readonly title: string } = isCut
    ? { word: 'INTERRUPTED', tone: 'hold', title: `${title}. The guards themselves go on` }
    : { ...headOf(state, status), title }
  const { mode, group } = guard.spec
  const true_ = CONDITIONS.flatMap((type) => {
    const found = guardCondition(guard, type)
    return found?.status === 'True' ? [`${type} ${found.reason}: ${found.message}`] : []
  })
  const next = nextSteps(guard, commands)
  const rows: readonly BlockRow[] = [
    { label: 'state', texts: [countsText(status)] },
    { label: 'guard', texts: [`mode ${mode}, group ${group}`] },
    { label: 'condition', texts: true_ },
    { label: 'released', texts: status.released.map(releaseText) },
    { label: 'next', texts: next },
  ]
  return [...guardNodeLines(status, { now, most: MOST_NODES }), ...blockLines({ ...head, rows }, columns)]
}

const releaseText = ({ node, by, why, at, passedOver }: GuardStatus['released'][number]): string =>
  `${node} at ${at} by ${by}${why === undefined ? '' : ` (${why})`}${passedOver === undefined ? '' : `, although ${passedOver}`}`

/** Commands that help where it stands, one for each state that needs a person. */
export function nextSteps(guard: CheckedGuard, { guard: evenkeel, kubectl }: GuardCommands): readonly NextStep[] {
  const { namespace, name } = guard
  const { kind } = guardStateOf(guard)
  const { nodes } = parseGuardStatus(guard)
  const first = (...states: readonly string[]) => nodes.find(({ state }) => states.includes(state))
  const [held, draining, missing] = [first('Held', 'Conflict'), first('Draining'), first('Degraded', 'Conflict')]
  return [
    ...(kind === 'failed'
      ? [{ command: kubectl('-n', namespace, 'describe', `nodeguard/${name}`), note: 'what to change' }]
      : []),
    ...(kind === 'unseen'
      ? [
          {
            command: kubectl('get', 'pods', '-A', '-l', CONTROLLER),
            note: 'the controller, which has to run with --guard',
          },
        ]
      : []),
    ...(held === undefined
      ? []
      : [{ command: evenkeel('explain', '--node', held.name), note: `what stands before ${held.name}` }]),
    ...(missing === undefined
      ? []
      : [
          {
            command: kubectl('-n', namespace, 'get', 'pods', '-o', 'wide', '-l', `evenkeel.dev/guard=${name}`),
            note: 'its guards',
          },
        ]),
    ...(draining === undefined
      ? []
      : [{ command: kubectl('uncordon', draining.name), note: `once the work on ${draining.name} is done` }]),
  ]
}

const CONTROLLER = 'app.kubernetes.io/component=controller'
