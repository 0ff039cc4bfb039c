import type { WallMs } from '../../ground/model/time.ts'
import { familyLines, type MetricFamily, type MetricSample } from '../../ground/text/prometheus-text.ts'
import { CAUSES, type CauseCode } from '../decide/causes.ts'
import type { DnsFinding, Subject } from '../decide/diagnosis/finding.ts'
import { type Path, targetName } from '../decide/scene.ts'
import { DNS_VERDICTS, type DnsVerdict } from '../decide/verdict.ts'

/** What one check after another has shown. `foldCheck` makes the next one. */
export interface DnsStatus {
  /** Checks that reached a verdict. */
  readonly checks: number
  /** Checks that could not be made. */
  readonly failures: number
  /** Of all checks. */
  readonly queries: number
  /** `kube-system/kube-dns`. Absent: no check came to a verdict yet. */
  readonly service?: string
  /** Absent: there was no check yet. */
  readonly last?: LastCheck
  /** Of the last check that came to a verdict; its order. */
  readonly paths: readonly PathStatus[]
  /** Times at which verdict or findings changed, the newest last. */
  readonly changes: readonly DnsChange[]
}

export interface LastCheck {
  readonly at: WallMs
  readonly verdict: DnsVerdict
  /** Since when the verdict is this one. */
  readonly since: WallMs
  readonly findings: readonly DnsFinding[]
  /** How DNS was found, and what could not be read or made: sentences. */
  readonly notes: readonly string[]
  /** Why the check could not be made. Absent: it was made. */
  readonly trouble?: string
  /** Of the last check that came to a verdict. */
  readonly queries: number
  readonly tookMs: number
}

export interface PathStatus extends Pick<Path, 'vantage' | 'target'> {
  /** Of a pod. */
  readonly node?: string
  /** Absent: the last check could not be made. */
  readonly now?: Pick<Path, 'reading' | 'canary'>
  /** Of all checks. */
  readonly asked: number
  readonly lost: number
  /** One entry for each of the last checks, the newest last: the median in ms, or what was wrong. */
  readonly history: readonly Tick[]
}

/** `silent`: no answer over UDP. `ill`: an answer came, and something is wrong with it. `unknown`: it was not asked. */
export type Tick = number | 'silent' | 'ill' | 'unknown'

export interface FindingOf {
  readonly code: CauseCode
  readonly subject: Subject
}

export interface DnsChange {
  readonly at: WallMs
  readonly verdict: DnsVerdict
  readonly came: readonly FindingOf[]
  readonly went: readonly FindingOf[]
  readonly trouble?: string
}

/** What a finding of these says is well. */
const WELL: readonly DnsVerdict[] = ['ok', 'observed']

/** Prometheus' text format 0.0.4. A pod that is gone has no series. */
export function dnsMetrics({ checks, failures, queries, last, paths }: DnsStatus): string {
  const ill = (last?.findings ?? []).flatMap(({ code, subjects }) =>
    WELL.includes(CAUSES[code].verdict) ? [] : subjects.map(({ kind, name }) => ({ code, subject: `${kind}/${name}` })),
  )
  const byPath = (value: (path: PathStatus) => number | undefined): readonly MetricSample[] =>
    paths.flatMap((path) => {
      const { vantage, target } = path
      const labels = { vantage, target_kind: target.kind, target: targetName(target) }
      const of = value(path)
      return of === undefined ? [] : [{ labels, value: of }]
    })
  return [
    ...family(
      { name: 'verdict', help: 'The verdict of the last check: 1 for this verdict, 0 for each other.', type: 'gauge' },
      last === undefined
        ? []
        : DNS_VERDICTS.map((verdict) => ({ labels: { verdict }, value: verdict === last.verdict ? 1 : 0 })),
    ),
    ...family({ name: 'checks_total', help: 'Checks that reached a verdict.', type: 'counter' }, [{ value: checks }]),
    ...family({ name: 'check_failures_total', help: 'Checks that could not be made.', type: 'counter' }, [
      { value: failures },
    ]),
    ...family({ name: 'queries_total', help: 'Queries of all checks.', type: 'counter' }, [{ value: queries }]),
    ...family(
      { name: 'last_check_timestamp_seconds', help: 'When the last check ended.', type: 'gauge' },
      last === undefined ? [] : [{ value: last.at / 1_000 }],
    ),
    ...family(
      { name: 'finding', help: 'What is wrong, by code and object.', type: 'gauge' },
      ill.map((labels) => ({ labels, value: 1 })),
    ),
    ...family(
      { name: 'asked_total', help: 'Queries over UDP, by path.', type: 'counter' },
      byPath(({ asked }) => asked),
    ),
    ...family(
      { name: 'lost_total', help: 'Queries over UDP without an answer, by path.', type: 'counter' },
      byPath(({ lost }) => lost),
    ),
    ...family(
      { name: 'latency_seconds', help: 'Median over UDP in the last check, by path.', type: 'gauge' },
      byPath(({ now }) => (now?.reading.medianMs === undefined ? undefined : now.reading.medianMs / 1_000)),
    ),
    '',
  ].join('\n')
}

const family = ({ name, ...rest }: MetricFamily, samples: readonly MetricSample[]): readonly string[] =>
  familyLines({ name: `evenkeel_dns_${name}`, ...rest }, samples)
