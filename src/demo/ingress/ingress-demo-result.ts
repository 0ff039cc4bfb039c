import { formatDuration, formatMinSec } from '../../ground/model/duration.ts'
import { countOf, countText } from '../../ground/text/count-text.ts'
import { type Column, tableLines } from '../../ground/text/table-lines.ts'
import { boundsText } from '../../ground/text/time-text.ts'
import { shareText } from '../../roll/decide/availability/confidence.ts'
import { ROLLOUT_CHECK, type RolloutCluster, type RolloutKind } from './ingress-demo-actions.ts'
import type { RolloutOutcome } from './rollout-outcome.ts'

const { interMs, fall, rise } = ROLLOUT_CHECK
const VERSION = '1'
/** After such a stall a request of several hops may fail for want of a processor. */
const STALLED_MS = 200
/** Answers take some 10 ms. If some take this long, others take longer than a client waits. */
const SLOW_MS = 500

/** The rollout of the IngressDaemonSet lost nothing, and both finished. */
export const isSound = (outcomes: readonly RolloutOutcome[]): boolean =>
  outcomes.every(
    ({ kind, failedRequests, failure }) => failure === undefined && (kind === 'DaemonSet' || failedRequests === 0),
  )

/** What `-o json` prints. */
export const ingressDemoDocument = (outcomes: readonly RolloutOutcome[]) => ({
  version: VERSION,
  sound: isSound(outcomes),
  rollouts: outcomes,
})

const COLUMNS: readonly Column[] = [
  { title: 'rollout of', align: 'left' },
  ...['time', 'per node', 'sent', 'failed', 'share'].map((title): Column => ({ title, align: 'right' })),
  { title: 'longest outage', align: 'left' },
]

export const ingressDemoLines = (outcomes: readonly RolloutOutcome[], program: string): readonly string[] => [
  ...tableLines(COLUMNS, outcomes.map(row)).map((line) => line.slice(2)),
  'Two clusters of three nodes, same pods, same traffic: 100/s, half of it over kept connections.',
  `Each balancer has nothing but a health check: every ${interMs} ms, ${fall} failures, ${rise} successes.`,
  ...busyLines(outcomes),
  '',
  ...outcomes.flatMap(verdictLines),
  '',
  'On your cluster, in a checkout of this project, once its image (npm run image) is in your registry:',
  '  helm upgrade --install evenkeel-agent deploy/chart/evenkeel -n evenkeel --create-namespace \\',
  '    --set controller.enabled=true,ingress.enabled=true,image.repository=registry.example/evenkeel',
  '  kubectl apply -f deploy/examples/ingress-first.yaml',
  ...rollOutLines('kubectl'),
  'What your clients see meanwhile, in another terminal:',
  `  ${program} probe https://app.example.com/`,
  'Next: docs/ingress.md says how the load balancer is set up, and what happens to a node.',
]

/** A change of the template, which is rolled out, and the wait for it. */
const rollOutLines = (kubectl: string): readonly string[] => [
  `  ${kubectl} patch ingressdaemonset web --type=merge \\`,
  `    -p '{"spec":{"template":{"metadata":{"annotations":{"example.com/restarted":"once"}}}}}'`,
  `  ${kubectl} wait ingressdaemonset/web --for=condition=Ready --timeout=10m`,
]

function row({
  kind,
  seconds,
  nodes,
  sentRequests,
  failedRequests,
  longestOutageMs,
}: RolloutOutcome): readonly string[] {
  const all = nodes.map((node) => node.seconds)
  return [
    kind,
    formatMinSec(seconds * 1_000),
    all.length === 0 ? '-' : `${Math.min(...all).toFixed(1)} to ${Math.max(...all).toFixed(1)} s`,
    countText(sentRequests),
    countText(failedRequests),
    shareText(failedRequests, sentRequests),
    longestOutageMs === undefined ? 'none seen' : boundsText(longestOutageMs.low, longestOutageMs.high ?? undefined),
  ]
}

/** A DaemonSet has slow answers of its own: the balancer tries again. */
function busyLines(outcomes: readonly RolloutOutcome[]): readonly string[] {
  const stalledMs = Math.max(...outcomes.map((outcome) => outcome.stalledMs))
  const slowMs = Math.max(...outcomes.map(({ kind, p99Ms }) => (kind === 'IngressDaemonSet' ? p99Ms : 0)))
  if (stalledMs < STALLED_MS && slowMs < SLOW_MS) return []
  const still = `the clusters stood still for up to ${formatDuration(stalledMs)}`
  return [`This machine was busy: ${still}, and 1 % of the answers took ${formatDuration(slowMs)} or more.`]
}

const HOW: Readonly<Record<RolloutKind, string>> = {
  DaemonSet: '  It replaces the pod of a node while the balancer still sends to the node.',
  IngressDaemonSet: '  It takes a node out of the balancer before the pods of the node change.',
}

function verdictLines({ kind, failedRequests, sentRequests, failure }: RolloutOutcome): readonly string[] {
  if (failure !== undefined) return [`The rollout of the ${kind} did not finish: ${failure}`]
  const lost = `The ${kind} lost ${countOf(failedRequests, 'request')} of ${countText(sentRequests)}.`
  // This does not explain a DaemonSet without loss, nor an IngressDaemonSet with one.
  return (kind === 'DaemonSet') === failedRequests > 0 ? [lost, HOW[kind]] : [lost]
}

/** The cluster of the IngressDaemonSet is still up, and its controller runs. */
export function keptLines({ url, kubeconfig }: RolloutCluster, program: string): readonly string[] {
  return [
    '',
    `The cluster of the IngressDaemonSet stays up until Ctrl-C. Its service: ${url}`,
    'Try, in other terminals:',
    `  ${program} probe ${url}`,
    ...rollOutLines(`kubectl --kubeconfig ${kubeconfig}`),
    `  kubectl --kubeconfig ${kubeconfig} get pods -o wide`,
  ]
}
