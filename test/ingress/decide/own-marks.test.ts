import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import type { IngressOp } from '../../../src/ingress/decide/op.ts'
import type { IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { formatHolders, HOLDERS_ANNOTATION, parseHolders } from '../../../src/service/decide/detach-holders.ts'
import { formatHealthOrder, HEALTH_ANNOTATION, parseHealthOrder } from '../../../src/service/model/health-order.ts'
import { shortIngressDecision as short } from '../../support/ingress-decision.ts'
import { aNodeOf, anOp, aScene, NODE_MARK, OURS, OWNER } from '../../support/ingress-world.ts'

const API = 'ingress/edge.api'

interface Marked {
  readonly mark?: string
  readonly holders?: readonly string[]
  /** The value that one of ours wrote; absent: an earlier release did not note it. */
  readonly wrote?: string
}

/** n1 is on its way back. The spec asks the detacher by `evenkeel`. */
function back({ mark = 'other', holders = [OWNER], wrote }: Marked): IngressSnapshot {
  const asked = wrote === undefined ? {} : { asked: { [NODE_MARK.key]: { at: '2026-01-01T00:00:00Z', value: wrote } } }
  const held = JSON.stringify({ version: 1, holders: { [NODE_MARK.key]: holders }, ...asked })
  const n1 = aNodeOf('n1', {
    slot: OURS,
    op: anOp({ phase: 'Attaching' }, { t1: 90, t2: 50 }),
    asks: 'dc',
    deployment: { revision: 'r2' },
    node: { annotations: { [NODE_MARK.key]: mark, [HOLDERS_ANNOTATION]: held } },
  })
  return aScene([n1, aNodeOf('n2', { deployment: { revision: 'r2' } })], { spec: { detach: { node: NODE_MARK } } })
}

const BACK: readonly (readonly [title: string, marked: Marked, decision: string])[] = [
  ['another object set it by a value of its own, or the value was edited', { wrote: 'other' }, 'removed'],
  ['the same value is wanted', { wrote: 'evenkeel', mark: 'evenkeel' }, 'removed'],
  ['another object still holds it', { wrote: 'other', holders: [API, OWNER] }, 'left'],
  ['others wrote another value since', { wrote: 'other', mark: 'theirs' }, 'left'],
  ['others wrote another value, and nobody noted the first one', {}, 'left'],
  ['nobody noted the value, and it is the wanted one', { mark: 'evenkeel' }, 'removed'],
]

for (const [title, marked, decision] of BACK)
  test(`the last holder takes the mark of a detacher away if one of ours wrote it: ${title}`, () => {
    assert.equal(short(decideIngress(back(marked))), `n1 unmarkNode ${decision}`)
  })

test('who asks a detacher notes the value that it writes', () => {
  const n1 = aNodeOf('n1', { slot: OURS, op: anOp(), asks: 'dc' })
  const decision = decideIngress(aScene([n1, aNodeOf('n2')], { spec: { detach: { node: NODE_MARK } } }))
  const [action] = decision.kind === 'act' ? decision.actions : []
  assert.ok(action?.kind === 'markNode')
  assert.equal(action.asked?.value, NODE_MARK.value)
  const text = formatHolders(new Map([[NODE_MARK.key, { owners: [OWNER], asked: action.asked }]]))
  assert.equal(parseHolders(text).get(NODE_MARK.key)?.asked?.value, NODE_MARK.value)
})

const OLD_MARK = { key: 'example.com/old', value: 'yes' }
const inForce = (mark: { readonly key: string; readonly value: string }) => ({
  [HEALTH_ANNOTATION]: formatHealthOrder({ ports: [30_900], minReadyPods: 2, mark }),
})

interface Edited {
  readonly phase: IngressOp['phase']
  readonly isNew?: true
  readonly asks?: string
}

/** n1 was marked by `example.com/old`; then the spec was edited to another key. */
function edited({ phase, isNew, asks = 'c' }: Edited): IngressSnapshot {
  const op = anOp(
    { phase, ...(isNew === true ? { isNew } : {}) },
    { t1: 90, ...(phase === 'Detaching' ? {} : { t2: 50 }) },
  )
  const n1 = aNodeOf('n1', {
    ...(isNew === true ? {} : { slot: OURS }),
    op,
    asks,
    deployment: {
      revision: phase === 'Detaching' ? 'r1' : 'r2',
      annotations: { [OLD_MARK.key]: OLD_MARK.value, ...inForce(OLD_MARK) },
    },
  })
  return aScene([n1, aNodeOf('n2')])
}

const EDITED: readonly (readonly [title: string, edited: Edited, decision: string])[] = [
  ['it leaves: it is not marked by the new key beside it', { phase: 'Detaching' }, 'n1 writeOp Updating r2'],
  ['its pods change', { phase: 'Verifying' }, 'n1 writeOp Attaching r2'],
  ['it comes back: the mark that was written is removed', { phase: 'Attaching' }, 'unmarkDeployment example.com/old'],
  ['its first pods come up', { phase: 'Attaching', isNew: true, asks: '' }, 'unmarkDeployment example.com/old'],
]

for (const [title, of, wanted] of EDITED)
  test(`a node bears the mark of the health order in force until it is back, whatever key is wanted by now: ${title}`, () => {
    const decision = decideIngress(edited(of))
    const [action] = decision.kind === 'act' ? decision.actions : []
    assert.equal(action?.kind === 'unmarkDeployment' ? `unmarkDeployment ${action.key}` : short(decision), wanted)
  })

test('every mark that the schema allows makes a health order that can be read', () => {
  const mark = { key: `${'d'.repeat(253)}/${'k'.repeat(63)}`, value: '\u0001'.repeat(1_024) }
  const ports = Array.from({ length: 8 }, (_, at) => 30_000 + at)
  const order = parseHealthOrder(formatHealthOrder({ ports, minReadyPods: 32, mark, by: 'pods' }))
  assert.ok(typeof order !== 'string', String(order))
})
