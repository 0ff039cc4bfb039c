import type { ScenePod } from '../../../dns/decide/scene.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { evenkeel, say } from '../../../ground/model/sentence.ts'
import { hasRebooted, type NodeSnapshot, ownIntent, ownRecord } from '../node-snapshot.ts'
import { findingText, policyOf } from './dns-policy.ts'
import { type DnsReading, reachedCluster } from './dns-readings.ts'

/** How long a reading counts after it ended. */
const COUNTS_FOR_MS = 15_000
/** A check that takes longer than this delays nothing. */
const AWAITED_FOR_MS = 30_000
/** How many pods are named at most. */
const NAMED_MAX = 5

/** Nothing of the node is out yet, and the node is to leave. */
export function isStillToGo(s: NodeSnapshot): boolean {
  if (s.run.verdict !== undefined || ownIntent(s) !== undefined || Object.keys(s.evidence.detached).length > 0)
    return false
  const record = ownRecord(s)
  return record === undefined || !hasRebooted({ ...s, record })
}

/**
 * Before a node leaves: DNS works, or its faults cost no client an answer. Where no check can tell, the node leaves as if DNS
 * were not checked.
 */
export function dnsWell(s: NodeSnapshot): readonly Reason[] {
  if (s.dns === undefined || !isStillToGo(s)) return []
  const ill = s.dns.seen === undefined ? [] : illness(s, s.dns.seen)
  if (ill.length > 0) return ill.slice(0, NAMED_MAX)
  return isAwaited(s) ? [asked] : []
}

const asked: Reason = { code: 'DnsNotAsked', text: 'the cluster DNS is being checked before the node is taken out' }

/** Where the last check reached no DNS, another one is not waited for. */
function isAwaited({ dns, now }: NodeSnapshot): boolean {
  const { last, askingSince } = dns ?? {}
  if (last !== undefined && (now - last.endedAt < COUNTS_FOR_MS || !reachedCluster(last))) return false
  return askingSince === undefined || now - askingSince < AWAITED_FOR_MS
}

function illness({ current: { node } }: NodeSnapshot, reading: DnsReading): readonly Reason[] {
  const found = reading.findings
    .filter((finding) => policyOf(reading, finding).leaving === 'holds')
    .map(
      (finding): Reason => ({
        code: 'DnsIll',
        object: finding.subjects.map(({ name }) => name).join(', '),
        text: `the cluster DNS is unhealthy: ${findingText(finding)}`,
        next: say`see what is wrong: ${evenkeel`dns check`}`,
      }),
    )
  return found.length > 0 ? found : lastDnsPod(node.name, reading.scene)
}

interface ServingPods {
  readonly service: { readonly namespace: string; readonly pending?: number }
  readonly pods: readonly Pick<ScenePod, 'name' | 'node' | 'terminating' | 'endpoint'>[]
}

/**
 * The only pod of DNS that serves, where there are other pods that do not, or that wait for a node. Where it is the only pod there is,
 * people have accepted that DNS is away while it moves.
 */
export function lastDnsPod(node: string, { pods, service }: ServingPods): readonly Reason[] {
  const there = pods.filter(({ terminating }) => !terminating)
  const serving = there.filter(({ endpoint }) => endpoint === 'serving')
  const [only] = serving
  const wanted = there.length + (service.pending ?? 0)
  if (serving.length !== 1 || wanted === 1 || only?.node !== node) return []
  return [
    {
      code: 'LastDnsPod',
      object: `${service.namespace}/${only.name}`,
      text: `${only.name} on ${node} is the only one of ${wanted} DNS pods that serves`,
      next: say`bring the other pods up; see: ${evenkeel`dns check`}`,
    },
  ]
}
