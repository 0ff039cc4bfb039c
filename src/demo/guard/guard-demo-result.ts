import { formatDuration } from '../../ground/model/duration.ts'
import { present } from '../../ground/model/present.ts'
import { countText } from '../../ground/text/count-text.ts'
import { type Column, tableLines } from '../../ground/text/table-lines.ts'
import type { GuardDemoCluster } from './guard-demo-actions.ts'

const VERSION = '1'

/** All that was measured. Times are those of the clock. */
export interface GuardDemoRun {
  readonly cluster: Pick<GuardDemoCluster, 'drained' | 'seen' | 'nodes'>
  /** When both drains began. */
  readonly beganAtMs: number
  /** By node. */
  readonly detachedAtMs: ReadonlyMap<string, number>
  /** The texts of the NodeGuard about a node, in their order. */
  readonly words: readonly { readonly node: string; readonly text: string }[]
  /** Absent where both drains ended, and both nodes came back. */
  readonly failure?: string
}

interface MeasuredNode {
  readonly name: string
  /** From the drain until its volume was detached. */
  readonly heldMs: number | undefined
  /** From the drain until its guard was evicted. */
  readonly waitedMs: number | undefined
  /** From then until its guard was back. */
  readonly awayMs: number | undefined
}

function measured({ cluster: { drained, seen }, beganAtMs, detachedAtMs }: GuardDemoRun): readonly MeasuredNode[] {
  return drained.map(({ name }) => {
    const { lostAtMs, backAtMs } = seen.of(name)
    return {
      name,
      heldMs: between(beganAtMs, detachedAtMs.get(name)),
      waitedMs: between(beganAtMs, lostAtMs),
      awayMs: between(lostAtMs, backAtMs),
    }
  })
}

const between = (fromMs: number | undefined, toMs: number | undefined): number | undefined =>
  fromMs === undefined || toMs === undefined ? undefined : toMs - fromMs

/** Nodes that lost their guard, in that order. */
const orderOf = (run: GuardDemoRun): readonly string[] =>
  measured(run)
    .filter(({ waitedMs }) => waitedMs !== undefined)
    .toSorted((one, other) => (one.waitedMs ?? 0) - (other.waitedMs ?? 0))
    .map(({ name }) => name)

/** No guard left while a volume was attached, one node after the other was without its guard, and both came back. */
export function isSound(run: GuardDemoRun): boolean {
  const nodes = measured(run)
  return (
    run.failure === undefined &&
    run.cluster.seen.mostAway === 1 &&
    nodes.every(({ awayMs }) => awayMs !== undefined) &&
    nodes.every(({ heldMs, waitedMs }) => heldMs !== undefined && waitedMs !== undefined && waitedMs >= heldMs)
  )
}

/** The document of `-o json`. */
export const guardDemoDocument = (run: GuardDemoRun): object => ({
  version: VERSION,
  sound: isSound(run),
  order: orderOf(run),
  mostWithoutGuard: run.cluster.seen.mostAway,
  podChanges: run.cluster.seen.changes,
  nodes: measured(run).map(({ name, heldMs, waitedMs, awayMs }) => ({
    name,
    heldSeconds: tenths(heldMs),
    waitedSeconds: tenths(waitedMs),
    withoutGuardSeconds: tenths(awayMs),
    said: run.words.filter(({ node }) => node === name).map(({ text }) => text),
  })),
  ...present({ failure: run.failure }),
})

const tenths = (ms: number | undefined): number | null => (ms === undefined ? null : Math.round(ms / 100) / 10)

const COLUMNS: readonly Column[] = [
  { title: 'node', align: 'left' },
  ...['held by a volume', 'guard evicted after', 'time without its guard pod'].map(
    (title): Column => ({ title, align: 'right' }),
  ),
]

export function guardDemoLines(run: GuardDemoRun, program: string): readonly string[] {
  const { seen } = run.cluster
  const rows = measured(run).map(({ name, heldMs, waitedMs, awayMs }) => [
    name,
    ...[heldMs, waitedMs, awayMs].map(time),
  ])
  const order = orderOf(run)
  return [
    ...tableLines(COLUMNS, rows).map((line) => line.slice(2)),
    '',
    `Both drains were started at the same time, by kubectl's rules. ${orderText(order)}`,
    withoutGuards(seen.mostAway),
    `  All pods were looked at after each of ${countText(seen.changes)} changes of a pod.`,
    ...(run.failure === undefined ? [] : [`It did not finish: ${run.failure}`]),
    '',
    'On your cluster, in a checkout of this project, once its image (npm run image) is in your registry:',
    '  helm upgrade --install evenkeel-agent deploy/chart/evenkeel -n evenkeel --create-namespace \\',
    '    --set controller.enabled=true,guard.enabled=true,image.repository=registry.example/evenkeel',
    `  ${program} guard status                what each NodeGuard waits for`,
    'Next: docs/guard.md has a first NodeGuard, and says when a node is granted.',
  ]
}

function orderText([first, ...others]: readonly string[]): string {
  if (first === undefined) return 'Neither node was drained.'
  if (others.length === 0) return `Only ${first} was drained.`
  return `The nodes were drained one after the other: ${[first, ...others].join(', then ')}.`
}

const withoutGuards = (most: number): string =>
  most < 2 ? 'At no moment did two nodes lack their guard pod.' : `At one moment, ${most} nodes lacked their guard pod.`

const time = (ms: number | undefined): string =>
  ms === undefined ? 'never' : formatDuration(Math.round(ms / 100) * 100)

/** The cluster is still up, and its controller runs. */
export const keptLines = ({ kubeconfig }: Pick<GuardDemoCluster, 'kubeconfig'>, program: string): readonly string[] => [
  '',
  'The cluster stays up until Ctrl-C. Try, in other terminals:',
  `  ${program} guard status nodeguard/storage -n default --kubeconfig ${kubeconfig} --watch`,
  `  kubectl --kubeconfig ${kubeconfig} drain n3 --ignore-daemonsets --delete-emptydir-data`,
  `  kubectl --kubeconfig ${kubeconfig} uncordon n3`,
]
