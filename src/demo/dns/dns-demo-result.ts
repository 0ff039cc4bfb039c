import { repairDocument } from '../../dns/cli/repair-result.ts'
import type { RepairOrBusy } from '../../dns/run/repair-alone.ts'
import { formatDuration } from '../../ground/model/duration.ts'
import { countText } from '../../ground/text/count-text.ts'
import { type Column, tableLines } from '../../ground/text/table-lines.ts'
import type { Line } from '../../ground/text/terminal/style.ts'
import type { DnsDemoCluster, QueryTally, SentQueries } from './dns-demo-actions.ts'
import type { PodWatch } from './pod-watch.ts'

const VERSION = '1'
/** After such a stall a query may be lost for want of a processor. */
const STALLED_MS = 500

/** All that was measured. Times are those of the clock. */
export interface DnsDemoRun {
  readonly cluster: Pick<DnsDemoCluster, 'sick' | 'service'>
  readonly queries: SentQueries
  readonly watch: PodWatch
  readonly repair: RepairOrBusy
  readonly brokenAtMs: number
  readonly beganAtMs: number
  /** When the first check was over. */
  readonly foundAtMs?: number
  /** Absent: the pod was not changed. */
  readonly touchedAtMs?: number
}

interface Measured {
  /** What the first check found about the sick pod. */
  readonly found: string | undefined
  readonly foundAfterMs: number | undefined
  readonly isCured: boolean
  /** From the quarantine of the pod until a check found that DNS works, with as many endpoints as before. */
  readonly curedAfterMs: number | undefined
  /** From the quarantine until the last lost query was sent; 0 where that was before. */
  readonly lostForMs: number | undefined
  readonly before: QueryTally
  readonly during: QueryTally
  /** From that check on. */
  readonly after: QueryTally
}

function measured({ cluster, queries, repair, brokenAtMs, beganAtMs, foundAtMs, touchedAtMs }: DnsDemoRun): Measured {
  const [findings, outcome] = 'busy' in repair ? [[], undefined] : [repair.check.findings, repair.outcome]
  const found = findings.find(({ subjects }) => subjects.some(({ name }) => name === cluster.sick.name))?.code
  const cured = outcome?.kind === 'cured' ? outcome : undefined
  const wellAtMs = cured === undefined || touchedAtMs === undefined ? undefined : touchedAtMs + cured.tookMs
  const lastLostAtMs = queries.lastLostAtMs()
  return {
    found,
    foundAfterMs: foundAtMs === undefined ? undefined : foundAtMs - beganAtMs,
    isCured: cured !== undefined,
    curedAfterMs: cured?.tookMs,
    lostForMs: touchedAtMs === undefined ? undefined : Math.max(0, (lastLostAtMs ?? 0) - touchedAtMs),
    before: queries.tally(0, brokenAtMs),
    during: queries.tally(brokenAtMs, wellAtMs),
    after: wellAtMs === undefined ? { sent: 0, lost: 0 } : queries.tally(wellAtMs),
  }
}

/** The dead pod was found, named and replaced, and not one query was lost from then on. */
export function isSound(run: DnsDemoRun): boolean {
  const { found, isCured, after } = measured(run)
  return found === 'UdpDead' && isCured && after.sent > 0 && after.lost === 0
}

/** The document of `-o json`. Times in milliseconds. */
export function dnsDemoDocument(run: DnsDemoRun): object {
  const { cluster, watch, repair, queries } = run
  const { before, during, after, found, foundAfterMs, isCured, curedAfterMs, lostForMs } = measured(run)
  return {
    version: VERSION,
    sound: isSound(run),
    pod: { name: cluster.sick.name, node: cluster.sick.node, keptInQuarantine: isCured && watch.last?.runs === true },
    health: watch.seen('health'),
    dnsOverTcp: watch.seen('dnsOverTcp'),
    ready: watch.seen('ready'),
    queries: { before, during, after },
    found: found ?? null,
    foundAfterMs: rounded(foundAfterMs),
    cured: isCured,
    curedAfterMs: rounded(curedAfterMs),
    lostForMs: rounded(lostForMs),
    stalledMs: Math.round(queries.stalledMs),
    repair: repairDocument(repair, false),
  }
}

const rounded = (ms: number | undefined): number | null => (ms === undefined ? null : Math.round(ms))

const COLUMNS: readonly Column[] = [
  { title: 'queries', align: 'left' },
  { title: 'sent', align: 'right' },
  { title: 'lost', align: 'right' },
]

/** The measured values, and how to do the same on another cluster. */
export function dnsDemoLines(run: DnsDemoRun, program: string): readonly Line[] {
  const { watch, cluster, queries } = run
  const { before, during, after, found, foundAfterMs, curedAfterMs, lostForMs } = measured(run)
  const row = (name: string, { sent, lost }: QueryTally) => [name, countText(sent), countText(lost)]
  const rows = [row('before', before), row('while ill', during), row('after', after)]
  const good = (what: 'health' | 'dnsOverTcp' | 'ready'): string => {
    const { asked, failed } = watch.seen(what)
    return `${asked - failed} of ${asked}`
  }
  const time = (ms: number | undefined): string => (ms === undefined ? 'never' : formatDuration(ms))
  return [
    ...tableLines(COLUMNS, rows).map((line) => line.slice(2)),
    '',
    `over TCP  /health good ${good('health')} times, DNS answered ${good('dnsOverTcp')}, the API said Ready ${good('ready')}`,
    `found     ${found ?? 'nothing'}, pod ${cluster.sick.name}, ${time(foundAfterMs)} after the check began`,
    `cured     ${time(curedAfterMs)} after the pod was put in quarantine; queries were lost for ${time(lostForMs)} of that`,
    `kept      the sick pod ${watch.last?.runs === true ? 'runs on' : 'is gone'}, out of its Service`,
    ...(queries.stalledMs < STALLED_MS
      ? []
      : [`This machine was busy: the cluster stood still for up to ${formatDuration(queries.stalledMs)} at a time.`]),
    '',
    'On your cluster:',
    `  ${program} dns check                  from a machine that reaches its pods`,
    `  ${program} dns repair --dry-run --relay --image registry.example/evenkeel:1.0`,
    'docs/dns.md says what the check queries, what it finds, and when it repairs.',
  ].map((line): Line => [line])
}

/** The cluster is still up. */
export const keptLines = ({ service, kubeconfig, sick }: DnsDemoCluster): readonly string[] => [
  '',
  'The cluster stays up until Ctrl-C. Try, in another terminal:',
  `  kubectl --kubeconfig ${kubeconfig} get pods -n kube-system -o wide --show-labels`,
  `  kubectl --kubeconfig ${kubeconfig} get pod -n kube-system ${sick.name} -o yaml`,
  `  dig @${service.address} -p ${service.port} kubernetes.default.svc.cluster.local`,
]
