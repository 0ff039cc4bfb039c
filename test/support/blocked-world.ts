import type { EvictionAnswer } from '../../src/ground/model/eviction.ts'
import type { Pod } from '../../src/ground/model/pod.ts'
import type { Service } from '../../src/ground/model/service.ts'
import { monoMs } from '../../src/ground/model/time.ts'
import type { Workload } from '../../src/ground/model/workload.ts'
import type { Evidence } from '../../src/roll/decide/evidence.ts'
import type { NodeSnapshot } from '../../src/roll/decide/node-snapshot.ts'
import type { BlockedSpec } from '../../src/roll/model/roll-spec.ts'
import { out } from './roll-stages.ts'
import { aBudget, aPod, aRecord, aSnapshot, aSpec, aWorkload, detachedEvidence } from './roll-world.ts'

export const NOW = 1_000_000
export const LABELS = { app: 'cart', 'pod-template-hash': 'abc' }
export const DEPLOYMENT = 'Deployment shop/cart'
export const set = aWorkload({
  controller: { kind: 'Deployment', name: 'cart', uid: 'uid-deployment' },
  selector: { matchLabels: LABELS, matchExpressions: [] },
  desired: 1,
})
export const deployment = aWorkload({ kind: 'Deployment', uid: 'uid-deployment', desired: 1 })
const service: Service = {
  namespace: 'shop',
  name: 'cart',
  type: 'NodePort',
  selector: { app: 'cart' },
  externalTrafficPolicy: 'Cluster',
  internalTrafficPolicy: 'Cluster',
  nodePorts: [30080],
}
export const cart = aPod('cart-a', 'n1', { labels: LABELS })
const { controller: _none, ...unmanaged } = aPod('cart-a', 'n1')
export const lonely = unmanaged
const mark = { version: 1, run: 'run-1', node: 'n1', workload: DEPLOYMENT, labels: LABELS } as const
export const released = { ...cart, labels: { app: 'cart', 'pod-template-hash': 'evenkeel-leaving' }, polite: mark }
export const refusal: EvictionAnswer = { kind: 'budget', refusal: { budget: 'cart', need: 1, have: 1 } }

export const ALL: BlockedSpec = {
  selector: { matchLabels: { app: 'cart' }, matchExpressions: [] },
  waitMs: 120_000,
  surgeMs: 300_000,
  askMs: 3_600_000,
  delete: true,
}
export const only = (change: Partial<BlockedSpec>): BlockedSpec =>
  ({ ...ALL, surgeMs: undefined, askMs: undefined, delete: false, ...change }) as BlockedSpec

export interface BlockedCase {
  readonly pods?: readonly Pod[]
  readonly ladder?: BlockedSpec
  /** How long ago its eviction was refused first; absent: it was not tried. */
  readonly forMs?: number
  readonly answer?: EvictionAnswer
  /** The last refusal is younger than the pause after it. */
  readonly pauses?: true
  readonly evidence?: Partial<Evidence>
  readonly workloads?: readonly Workload[]
  readonly services?: readonly Service[]
  readonly healthy?: number
}

/** n1 drains, and `cart-a` is on it. */
export function blockedSnapshot({
  pods = [cart],
  ladder = ALL,
  forMs,
  answer = refusal,
  pauses,
  evidence,
  ...world
}: BlockedCase): NodeSnapshot {
  const { workloads = [set, deployment], services = [service], healthy = 1 } = world
  const uid = cart.uid
  const refused: Partial<Evidence> =
    forMs === undefined
      ? {}
      : {
          blocked: { [uid]: { since: monoMs(NOW - forMs) } },
          evictions: { [uid]: answer },
          retries: { [`evict ${uid}`]: { failures: 1, notBefore: monoMs(NOW + (pauses ? 400 : 0)), error: 'budget' } },
        }
  const base = aSnapshot({
    ...out,
    record: aRecord({ workloads: { [DEPLOYMENT]: 1 } }),
    workloads,
    pods,
    budgets: [aBudget({ minAvailable: '1', currentHealthy: healthy, desiredHealthy: 1, expectedPods: 1 })],
    evidence: {
      ...detachedEvidence(),
      firstSeen: pods.map((pod) => pod.uid),
      stuckStep: 'drain',
      ...refused,
      ...evidence,
    },
  })
  return {
    ...base,
    spec: aSpec({ drain: { ...aSpec().drain, blocked: [ladder] } }),
    cluster: { ...base.cluster, services },
  }
}
