import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decideIngress } from '../../../src/ingress/decide/decide.ts'
import type { IngressSnapshot } from '../../../src/ingress/decide/snapshot.ts'
import { formatHolders, HOLDERS_ANNOTATION, parseHolders } from '../../../src/service/decide/detach-holders.ts'
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
