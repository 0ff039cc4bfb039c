import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainText } from '../../../src/ground/model/sentence.ts'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import type { IngressNode, IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import {
  ACKNOWLEDGEMENT,
  aNodeOf,
  anOp,
  aScene,
  NODE_MARK,
  OURS,
  type SpecChange,
} from '../../support/ingress-world.ts'

const r1 = { revisions: { desired: 'r1', current: 'r1' } } as const

interface Late {
  readonly onTimeout?: 'Pause' | 'Proceed' | 'Abort'
  /** Seconds since all was asked; the limit is 600. */
  readonly t1?: number
  /** The side that does not answer. */
  readonly silent: 'agent' | 'detacher' | 'none'
  readonly is?: Partial<IngressNode>
  readonly node?: Partial<NonNullable<IngressNode['node']>>
}

/** The label of n1 was removed, and the agent or detacher that is to acknowledge its detach says nothing. */
function late({ onTimeout = 'Pause', t1 = 700, silent, is, node }: Late): IngressSnapshot {
  const byDetacher = silent === 'detacher' ? { node: NODE_MARK, acknowledgement: ACKNOWLEDGEMENT } : {}
  const spec: SpecChange = { detach: { onTimeout, ...byDetacher } }
  const n1 = aNodeOf('n1', {
    slot: OURS,
    op: anOp({ revision: 'r1' }, { t0: t1 + 1, t1 }),
    asks: silent === 'detacher' ? 'dcn' : 'dc',
    ...(node === undefined ? {} : { node }),
    is: { eligibility: 'Leave', ...(silent === 'agent' ? { agent: {} } : {}), ...is },
  })
  return aScene([n1, aNodeOf('n2', { is: silent === 'agent' ? { agent: {} } : {} })], { ...r1, spec })
}

const LATE: readonly (readonly [title: string, late: Late, decision: string])[] = [
  ['the limit is not over', { silent: 'detacher', t1: 500 }, 'hold n1 DetacherNotDone'],
  ['nothing is to be acknowledged', { silent: 'none' }, 'n1 deleteDeployment'],
  ['its detacher is silent', { silent: 'detacher' }, 'hold n1 DetachTimedOut n1 DetacherNotDone'],
  ['its agent is silent', { silent: 'agent' }, 'hold n1 DetachTimedOut n1 AgentNotHeard'],
  [
    'there is nothing to go back to',
    { silent: 'detacher', onTimeout: 'Abort' },
    'hold n1 DetachTimedOut n1 DetacherNotDone',
  ],
  ['the object goes on without an answer', { silent: 'detacher', onTimeout: 'Proceed' }, 'n1 deleteDeployment'],
  ['its Node goes whatever is decided', { silent: 'detacher', is: { isGoing: true } }, 'n1 deleteDeployment'],
  ['its machine is dead', { silent: 'agent', node: { ready: 'Unknown' } }, 'n1 deleteDeployment'],
]

for (const [title, of, decision] of LATE)
  test(`a node that is to have no pods waits for its acknowledgement as its policy says: ${title}`, () => {
    assert.equal(short(decideIngress(late(of))), decision)
  })

test('where the policy is Abort, the hold of a node that is to have no pods says why it is not attached again', () => {
  const { reasons } = decideIngress(late({ silent: 'detacher', onTimeout: 'Abort' }))
  assert.match(reasons[0]?.text ?? '', /it is to be out, so it is not attached again/)
  assert.doesNotMatch(plainText(reasons[0]?.next ?? ''), /retry/)
})
