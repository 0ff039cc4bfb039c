import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import type { IngressOp } from '../../../src/ingress/decide/op.ts'
import type { IngressNode } from '../../../src/ingress/decide/snapshot.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import { aNodeOf, anOp, aScene, NOW, OWNER } from '../../support/ingress-world.ts'

interface Kept {
  readonly op?: Partial<IngressOp>
  readonly asks?: string
  /** Whose claims its agent keeps. */
  readonly keptFor?: readonly string[]
  readonly agent?: IngressNode['agent']
  readonly claims?: string
}

function decided({ op, asks = '', keptFor = [OWNER], agent, claims }: Kept): string {
  const n1 = aNodeOf('n1', {
    op: anOp({ phase: 'Attaching', ...op }, { t2: 60, t3: 60 }),
    asks,
    node: { annotations: claims === undefined ? {} : { 'evenkeel.dev/maintenance': claims } },
    deployment: { revision: 'r2' },
    is: { agent: agent ?? { keptFor } },
  })
  return short(decideIngress(aScene([n1, aNodeOf('n2', { deployment: { revision: 'r2' } })])))
}

const FIRST = { isNew: true } as const
const RELEASED = { released: { id: 'op-1', since: wallMs(NOW - 60_000) } }

const ROWS: readonly (readonly [title: string, kept: Kept, decision: string])[] = [
  [
    'its first pods are ready: its operation becomes that of a node which was out',
    { op: FIRST },
    'n1 writeOp Attaching r2',
  ],
  ['then it is claimed again', {}, 'n1 claim'],
  ['until its agent has heard of the claim, it stays', { asks: 'c' }, 'hold n1 AgentNotHeard'],
  ['its agent has heard of the claim: it is withdrawn', { asks: 'c', agent: {} }, 'n1 withdrawClaim'],
  ['its agent is good again: it is back', { agent: RELEASED }, 'n1 clearOp'],
  ['its agent keeps the claim of another owner: nothing is claimed', { op: FIRST, keptFor: ['roll/r'] }, 'n1 clearOp'],
  ['the claims on it cannot be read: nothing is added', { claims: '{' }, 'hold n1 AgentNotHeard'],
]

for (const [title, kept, decision] of ROWS)
  test(`a node was registered anew and its agent keeps the claim of the object; ${title}`, () => {
    assert.equal(decided(kept), decision)
  })
