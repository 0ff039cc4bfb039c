import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import type { Phase } from '../../../src/ingress/decide/op.ts'
import type { IngressNode, IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { ingressStatus } from '../../../src/ingress/decide/status.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import { aNodeOf, anOp, aScene, NOW, OURS, outFor, type SpecChange } from '../../support/ingress-world.ts'

interface Out {
  readonly phase: Phase
  /** Seconds since it is detached; the deadline of the progress is 600. */
  readonly since?: number
  readonly is?: Partial<IngressNode>
  readonly node?: Partial<NonNullable<IngressNode['node']>>
}

const zone = (name: string) => ({ labels: { 'topology.kubernetes.io/zone': name } })

/** n1 is out and has its old pods. */
function scene({ phase, since = 60, is, node }: Out, spec: SpecChange = {}): IngressSnapshot {
  const ago = { t0: since + 70, t1: since + 65, ...(phase === 'Updating' ? { t2: since } : {}) }
  const agent = { acknowledged: { id: 'op-1', seen: wallMs(NOW - (since + 60) * 1_000) } }
  const n1 = aNodeOf('n1', {
    op: anOp({ phase }, ago),
    asks: 'cd',
    slot: OURS,
    node: { ...zone('a'), ...node },
    is: { agent, ...is },
  })
  const others = ['n2', 'n3', 'n4'].map((name) => aNodeOf(name, { node: zone('b') }))
  return aScene([n1, ...others], {
    spec: { strategy: { kind: 'detach', maxUnavailableNodes: { kind: 'count', count: 2 } }, ...spec },
    budget: { limit: { kind: 'count', count: 3 }, fleet: 12, out: [outFor('n1', 'claimed')], slots: [] },
  })
}

const ofN1 = (s: IngressSnapshot): string =>
  decideIngress(s)
    .reasons.filter(({ object }) => object === 'n1')
    .map(({ code }) => code)
    .join(' ')

/** What keeps new pods from the node: others set it after the operation began. */
const KEPT: readonly (readonly [title: string, out: Omit<Out, 'phase'>, code: string, spec?: SpecChange])[] = [
  ['it has a taint that they do not tolerate', { is: { eligibility: 'Keep' } }, 'NewPodsRefused'],
  [
    'it is cordoned, and cordons are ignored',
    { node: { unschedulable: true } },
    'NewPodsRefused',
    { onCordon: 'Ignore' },
  ],
  ['it is not Ready', { node: { ready: 'Unknown' } }, 'NodeNotReady'],
]

for (const phase of ['Detaching', 'Updating'] as const)
  for (const [title, out, code, spec] of KEPT) {
    test(`the pods of a detached node stay as long as no new one can be placed there: ${title}, ${phase}`, () => {
      assert.equal(ofN1(scene({ phase, ...out }, spec)), code)
    })

    test(`a node that can take no new pods for too long is stuck, stops no rollout and holds up no zone: ${title}, ${phase}`, () => {
      const s = scene({ phase, since: 3_600, ...out }, { ...spec, rollout: { autoRollback: true } })
      const decision = decideIngress(s)
      assert.match(short(decision), /n[234] takeSlot/)
      const status = ingressStatus(s, decision.reasons)
      assert.equal(status?.fields.stuckNodes, 1)
      assert.equal(status?.conditions.find(({ type }) => type === 'Stalled')?.status, 'False')
    })
  }

test('a detached node that takes pods gets the new ones', () => {
  assert.equal(ofN1(scene({ phase: 'Detaching' })), 'NodeDetached')
  assert.equal(ofN1(scene({ phase: 'Updating' })), 'TemplateDiffers')
})
