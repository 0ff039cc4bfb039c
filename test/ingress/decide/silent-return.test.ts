import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import type { IngressOp } from '../../../src/ingress/decide/op.ts'
import type { IngressNode, IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { ingressStatus } from '../../../src/ingress/decide/status.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import { aNodeOf, anOp, aScene, NOW, OURS, type SpecChange } from '../../support/ingress-world.ts'

/** With an attach grace of 10 s and a time-out of 600 s. */
interface Silent {
  /** Seconds since nothing of the object kept it out any more. */
  readonly t3: number
  readonly op?: Partial<IngressOp>
  readonly revision?: string
  /** Since when its agent gives a good answer, in seconds; absent: it does not. */
  readonly heard?: number
  readonly request?: IngressNode['request']
  readonly spec?: SpecChange
  /** None answers for the node. */
  readonly agent?: false
}

function scene({ t3, op, revision = 'r2', heard, request, spec = {}, agent }: Silent): IngressSnapshot {
  const released = heard === undefined ? {} : { released: { id: 'op-1', since: wallMs(NOW - heard * 1_000) } }
  const n1 = aNodeOf('n1', {
    slot: OURS,
    op: anOp({ phase: 'Attaching', ...op }, { t0: 2_000, t1: 1_900, t2: 1_800, t3 }),
    deployment: { revision },
    is: { ...(agent === false ? {} : { agent: released }), ...(request === undefined ? {} : { request }) },
  })
  return aScene(
    [n1, aNodeOf('n2', { deployment: { revision: 'r1' } }), aNodeOf('n3', { deployment: { revision: 'r2' } })],
    {
      spec: { ...spec, rollout: { minInServiceNodes: 0, ...spec.rollout } },
    },
  )
}

const RETRY = { kind: 'retry', of: 'op-1' } as const

const ROWS: readonly (readonly [title: string, silent: Silent, decision: string])[] = [
  ['its agent is silent, and the limit is not over', { t3: 609 }, 'hold n1 AgentNotHeard web IngressLimitReached'],
  ['the limit is over, and the rollout stops', { t3: 610 }, 'hold n1 AgentNotHeard web RolloutStalled'],
  ['it is late, and the agent answers after all', { t3: 5_000, heard: 10 }, 'n1 clearOp'],
  [
    'it is late, the agent answers, and then there is the grace',
    { t3: 5_000, heard: 9 },
    'hold n1 AttachGrace web IngressLimitReached',
  ],
  ['no agent answers for the node', { t3: 5_000, agent: false }, 'n1 clearOp'],
  ['a person wants it tried again: the limit begins anew', { t3: 610, request: RETRY }, 'n1 writeOp Attaching r2'],
  [
    'a person wants it tried again before the limit',
    { t3: 609, request: RETRY },
    'hold n1 AgentNotHeard web IngressLimitReached',
  ],
  [
    'a person wants an earlier operation tried again',
    { t3: 610, request: { ...RETRY, of: 'op-0' } },
    'hold n1 AgentNotHeard web RolloutStalled',
  ],
  [
    'a person has it skipped: it does not stop the rollout',
    { t3: 610, request: { kind: 'skip', of: 'op-1' } },
    'hold n1 AgentNotHeard web IngressLimitReached',
  ],
  [
    'more nodes may fail',
    { t3: 610, spec: { rollout: { failureThreshold: 2 } } },
    'hold n1 AgentNotHeard web IngressLimitReached',
  ],
  [
    'another revision is wanted since: late, it goes there',
    { t3: 610, op: { revision: 'r0' }, revision: 'r0' },
    'n1 writeOp Detaching r2',
  ],
  [
    'another revision is wanted since: in time, it waits',
    { t3: 609, op: { revision: 'r0' }, revision: 'r0' },
    'hold n1 AgentNotHeard web IngressLimitReached',
  ],
  [
    'it came back with the earlier revision, and the rollout is paused: it is no failure of the wanted one',
    { t3: 610, op: { revision: 'r1' }, revision: 'r1', spec: { rollout: { paused: true } } },
    'hold n1 AgentNotHeard web RolloutPaused',
  ],
]

for (const [title, silent, decision] of ROWS)
  test(`law: a node on its way back is in service for an IngressDaemonSet only once its agent has answered, however late that is; ${title}`, () => {
    assert.equal(short(decideIngress(scene(silent))), decision)
  })

const listed = (silent: Silent) => {
  const s = scene(silent)
  const status = ingressStatus(s, decideIngress(s).reasons)
  const nodes = (status?.fields.nodes ?? []) as readonly { readonly name: string; readonly state: string }[]
  const { readyNodes, stuckNodes } = status?.fields ?? {}
  const stalled = status?.conditions.find(({ type }) => type === 'Stalled')
  return [nodes.find(({ name }) => name === 'n1')?.state, readyNodes, stuckNodes, stalled?.status]
}

test('a node whose agent is silent on its way back is not counted as in service, and after the limit it is stuck', () => {
  assert.deepEqual(listed({ t3: 609 }), ['Attaching', 2, 0, 'False'])
  assert.deepEqual(listed({ t3: 610 }), ['Stuck', 2, 1, 'True'])
  assert.deepEqual(listed({ t3: 610, heard: 1 }), ['Attaching', 3, 0, 'False'])
})

test('a hold for a silent agent ends with the limit', () => {
  const decision = decideIngress(scene({ t3: 607 }))
  assert.ok(decision.kind === 'hold')
  assert.equal(decision.recheckAfterMs, 3_000)
})

test('what is written for a request to try it again keeps the id, which its agent goes by, and takes the request away', () => {
  const decision = decideIngress(scene({ t3: 610, request: RETRY }))
  assert.ok(decision.kind === 'act')
  const [action] = decision.actions
  assert.ok(action?.kind === 'writeOp')
  assert.deepEqual([action.op.id, action.op.t3, action.isRetry], ['op-1', NOW, true])
})
