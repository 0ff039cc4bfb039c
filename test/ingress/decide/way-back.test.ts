import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import { formatOp, type IngressOp, OP_ANNOTATION } from '../../../src/ingress/decide/op.ts'
import type { IngressDeployment, IngressNode, IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import { aNodeOf, anOp, aScene, NODE_MARK, NOW, OURS, type SpecChange } from '../../support/ingress-world.ts'

const IN_PLACE: SpecChange = {
  strategy: {
    kind: 'inPlace',
    maxDegradedNodes: { kind: 'count', count: 1 },
    maxUnavailablePods: { kind: 'count', count: 1 },
    maxSurgedPods: { kind: 'count', count: 1 },
  },
}

/** The operation that is written for a claimed node without one. */
function takenStock(spec: SpecChange): IngressOp {
  const torn = aNodeOf('n1', { op: 'torn', asks: 'c', slot: OURS, deployment: { revision: 'r2' }, is: { agent: {} } })
  const decision = decideIngress(aScene([torn, aNodeOf('n2', { deployment: { revision: 'r2' } })], { spec }))
  const [action] = decision.kind === 'act' ? decision.actions : []
  assert.ok(action?.kind === 'writeOp')
  return action.op
}

/** It goes on from there, until nothing of the object asks for the detach any more. */
function returning(spec: SpecChange, agent: IngressNode['agent']): IngressSnapshot {
  const op: IngressOp = { ...takenStock(spec), phase: 'Attaching', t3: wallMs(NOW - 15_000) }
  const n1 = aNodeOf('n1', { op, slot: OURS, deployment: { revision: 'r2' }, is: { ...(agent && { agent }) } })
  return aScene([n1, aNodeOf('n2', { deployment: { revision: 'r2' } })], { spec })
}

for (const [title, spec] of [
  ['detached', {}],
  ['replaced in place', IN_PLACE],
] as const)
  test(`law: a node on its way back is in service for an IngressDaemonSet only once its agent has answered, however late that is; also after its operation was torn, with pods that are ${title}`, () => {
    assert.equal(short(decideIngress(returning(spec, {}))), 'hold n1 AgentNotHeard')
    const released = { id: 'op-1', since: wallMs(NOW - 5_000) }
    assert.equal(short(decideIngress(returning(spec, { released }))), 'hold n1 AttachGrace')
    assert.equal(short(decideIngress(returning(spec, { released: { ...released, since: wallMs(0) } }))), 'n1 clearOp')
  })

interface Written {
  readonly op?: Partial<IngressOp>
  readonly asks?: string
  readonly deployment?: Partial<IngressDeployment>
  readonly ready?: 'False' | 'Unknown'
}

/** The phase Attaching was written, and the controller was away since. */
function written({ op, asks = 'cdn', deployment, ready }: Written): IngressSnapshot {
  const n1 = aNodeOf('n1', {
    op: anOp({ phase: 'Attaching', ...op }, { t0: 3_000, t1: 2_995, t2: 2_900 }),
    asks,
    slot: OURS,
    deployment: { revision: 'r2', ...deployment },
    node: ready === undefined ? {} : { ready },
  })
  return aScene([n1, aNodeOf('n2', { deployment: { revision: 'r2' } })], { spec: { detach: { node: NODE_MARK } } })
}

const AGAIN = 'n1 writeOp Verifying r2'
const WRITTEN: readonly (readonly [title: string, written: Written, decision: string])[] = [
  ['all is as it was', {}, 'n1 unmarkNode removed'],
  ['its controller has not seen the last write', { deployment: { isObserved: false } }, 'n1 unmarkNode removed'],
  ['no pod is ready any more', { deployment: { ready: 0, available: 0 } }, AGAIN],
  ['one is not, and the claim alone is left', { deployment: { ready: 1, available: 1 }, asks: 'c' }, AGAIN],
  ['its machine is down', { ready: 'Unknown' }, AGAIN],
  ['others replaced the template', { deployment: { revision: 'rX' } }, AGAIN],
  ['old pods are there again', { deployment: { oldPods: 1 } }, AGAIN],
  ['its first pods are not ready any more', { op: { isNew: true }, asks: 'd', deployment: { ready: 0 } }, AGAIN],
  [
    'its detach was given up: it goes back as it is',
    { op: { gaveUp: true, t2: undefined } as never, deployment: { ready: 1 } },
    'n1 unmarkNode removed',
  ],
]

for (const [title, of, decision] of WRITTEN)
  test(`nothing but pods that are all there brings a node back, whatever phase was written: ${title}`, () => {
    assert.equal(short(decideIngress(written(of))), decision)
  })

test('a node that is verified again has the whole deadline for it', () => {
  const decision = decideIngress(written({ ready: 'Unknown' }))
  const [action] = decision.kind === 'act' ? decision.actions : []
  assert.ok(action?.kind === 'writeOp')
  const annotations = { ...written({}).nodes[0]?.deployment?.annotations, [OP_ANNOTATION]: formatOp(action.op) }
  const next = decideIngress(written({ ready: 'Unknown', deployment: { annotations } }))
  assert.equal(short(next), 'hold n1 NodeNotReady')
})
