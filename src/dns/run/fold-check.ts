import { present } from '../../ground/model/present.ts'
import type { WallMs } from '../../ground/model/time.ts'
import type { DnsFinding } from '../decide/diagnosis/finding.ts'
import { isWrong } from '../decide/path-reading.ts'
import { type DnsScene, type Path, targetName } from '../decide/scene.ts'
import type { DnsVerdict } from '../decide/verdict.ts'
import type { DnsCheck } from './check-dns.ts'
import type { DnsChange, DnsStatus, FindingOf, LastCheck, PathStatus, Tick } from './dns-metrics.ts'

/** What of a check is kept, or why it could not be made. */
export type CheckOrTrouble =
  | Pick<DnsCheck, 'verdict' | 'findings' | 'notes' | 'scene' | 'queries' | 'tookMs'>
  | { readonly trouble: string }

const HISTORY_MAX = 30
const CHANGES_MAX = 20

export const EMPTY_DNS_STATUS: DnsStatus = { checks: 0, failures: 0, queries: 0, paths: [], changes: [] }

/** The view after one more check. Pods that it did not find are forgotten; a check that could not be made forgets none. */
export function foldCheck(status: DnsStatus, check: CheckOrTrouble, wallMs: WallMs): DnsStatus {
  const last = lastOf(status, check, wallMs)
  const changes = changesOf(status, last)
  if ('trouble' in check)
    return { ...status, failures: status.failures + 1, last, paths: status.paths.map(notKnownNow), changes }
  const { namespace, name } = check.scene.service
  return {
    service: `${namespace}/${name}`,
    checks: status.checks + 1,
    failures: status.failures,
    queries: status.queries + check.queries,
    last,
    paths: pathsOf(status, check.scene),
    changes,
  }
}

function lastOf({ last }: DnsStatus, check: CheckOrTrouble, at: WallMs): LastCheck {
  const verdict: DnsVerdict = 'trouble' in check ? 'unverified' : check.verdict
  const since = last?.verdict === verdict ? last.since : at
  if ('trouble' in check) {
    const { queries = 0, tookMs = 0 } = last ?? {}
    return { at, verdict, since, findings: [], notes: [], trouble: check.trouble, queries, tookMs }
  }
  const { findings, notes, queries, tookMs } = check
  return { at, verdict, since, findings, notes, queries, tookMs }
}

/** What a check that could not be made says differently each time (a time, an address) is no change. */
function changesOf({ last: before, changes }: DnsStatus, now: LastCheck): readonly DnsChange[] {
  const [old, found] = [pairsOf(before?.findings ?? []), pairsOf(now.findings)]
  const came = [...found].flatMap(([key, pair]) => (old.has(key) ? [] : [pair]))
  const went = [...old].flatMap(([key, pair]) => (found.has(key) ? [] : [pair]))
  const { at, verdict, trouble } = now
  const isSame = before?.verdict === verdict && (before.trouble === undefined) === (trouble === undefined)
  if (isSame && came.length === 0 && went.length === 0) return changes
  const change = { at, verdict, came, went, ...present({ trouble }) }
  return [...changes, change].slice(-CHANGES_MAX)
}

const pairsOf = (findings: readonly DnsFinding[]): ReadonlyMap<string, FindingOf> =>
  new Map(
    findings.flatMap(({ code, subjects }) =>
      subjects.map((subject) => [`${code} ${subject.kind} ${subject.name}`, { code, subject }] as const),
    ),
  )

const keyOf = ({ vantage, target }: Pick<Path, 'vantage' | 'target'>): string =>
  JSON.stringify([vantage, target.kind, targetName(target)])

function pathsOf(status: DnsStatus, { paths, pods }: DnsScene): readonly PathStatus[] {
  const before = new Map(status.paths.map((path) => [keyOf(path), path]))
  const nodes = new Map(pods.map(({ name, node }) => [name, node]))
  const seen = paths.map((path): PathStatus => {
    const { vantage, target, reading, canary } = path
    const old = before.get(keyOf(path))
    const node = target.kind === 'pod' ? nodes.get(target.name) : undefined
    return {
      vantage,
      target,
      ...present({ node }),
      now: { reading, ...present({ canary }) },
      asked: (old?.asked ?? 0) + reading.asked,
      lost: (old?.lost ?? 0) + reading.lost,
      history: historyOf(old, tickOf(path)),
    }
  })
  return [...new Map(seen.map((path) => [keyOf(path), path])).values()]
}

function notKnownNow({ now: _now, ...path }: PathStatus): PathStatus {
  return { ...path, history: historyOf(path, 'unknown') }
}

const historyOf = (old: Pick<PathStatus, 'history'> | undefined, tick: Tick): readonly Tick[] =>
  [...(old?.history ?? []), tick].slice(-HISTORY_MAX)

function tickOf({ reading, canary }: Pick<Path, 'reading' | 'canary'>): Tick {
  const { udp, tcp, data, upstream, medianMs } = reading
  if (udp === 'silent') return 'silent'
  const isWell =
    udp !== 'loses' && tcp !== 'silent' && !isWrong({ data }) && upstream !== 'fails' && canary !== 'silent'
  if (!isWell) return 'ill'
  return udp === 'notAsked' ? 'unknown' : (medianMs ?? 'unknown')
}
