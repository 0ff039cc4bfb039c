import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatePatch, revisionPatch } from '../../../src/ground/model/owned/difference.ts'
import { gateState, wantedGate } from '../../../src/ingress/decide/drain-gate.ts'
import { newIdentity } from '../../../src/ingress/decide/names.ts'
import { wantedRevision } from '../../../src/ingress/decide/revision.ts'
import { anIngress } from '../../support/ingress-objects.ts'
import { patched, served } from '../../support/served-object.ts'

const IDS = anIngress()
const IDENTITY = newIdentity(IDS, 'n1')
const CLOSED = wantedGate(IDS, IDENTITY, 'closed')
const OPEN = wantedGate(IDS, IDENTITY, 'open')
const resourceVersion = '7'

const gate = (spec: object) => served('PodDisruptionBudget', { ...CLOSED, spec })
const selector = { matchLabels: IDENTITY.selector }

test('a gate that is as wanted is not written', () => {
  for (const wanted of [CLOSED, OPEN]) assert.equal(gatePatch(served('PodDisruptionBudget', wanted), wanted), undefined)
})

test('a gate opens and closes with one write', () => {
  const closed = served('PodDisruptionBudget', CLOSED)
  const opening = gatePatch(closed, OPEN)
  assert.deepEqual(opening, {
    metadata: { resourceVersion },
    spec: { maxUnavailable: '100%', unhealthyPodEvictionPolicy: 'AlwaysAllow' },
  })
  const closing = gatePatch(patched('PodDisruptionBudget', closed, opening ?? {}), CLOSED)
  assert.deepEqual(closing, {
    metadata: { resourceVersion: '8' },
    spec: { maxUnavailable: 0, unhealthyPodEvictionPolicy: null },
  })
})

test('an open gate of a server that does not know unhealthyPodEvictionPolicy is not written again and again', () => {
  const opened = gate({ selector, maxUnavailable: '100%' })
  assert.equal(gatePatch(opened, OPEN), undefined)
})

test('a field that a later server fills in is not taken away again and again', () => {
  assert.equal(gatePatch(gate({ selector, maxUnavailable: 0, evictionMode: 'Strict' }), CLOSED), undefined)
})

test('a gate that was changed by hand is closed again, and nothing of the change stays', () => {
  assert.deepEqual(gatePatch(gate({ selector, minAvailable: 1 }), CLOSED), {
    metadata: { resourceVersion },
    spec: { maxUnavailable: 0, minAvailable: null },
  })
  const wider = { matchLabels: { app: 'edge' }, matchExpressions: [{ key: 'a', operator: 'Exists' }] }
  assert.deepEqual(gatePatch(gate({ selector: wider, maxUnavailable: 0 }), CLOSED), {
    metadata: { resourceVersion },
    spec: { selector: { matchLabels: { ...IDENTITY.selector, app: null }, matchExpressions: null } },
  })
})

const STATES: readonly (readonly [title: string, spec: object, state: string])[] = [
  ['as it is written', CLOSED.spec as object, 'closed'],
  ['as it is written', OPEN.spec as object, 'open'],
  [
    'a policy has all budgets evict unhealthy pods',
    { selector, maxUnavailable: 0, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    'closed',
  ],
  [
    'a policy has none do so',
    { selector, maxUnavailable: '100%', unhealthyPodEvictionPolicy: 'IfHealthyBudget' },
    'open',
  ],
  ['a later server fills a field in', { selector, maxUnavailable: 0, evictionMode: 'Strict' }, 'closed'],
  ['others changed what it allows', { selector, maxUnavailable: 1 }, 'absent'],
  ['others changed what it selects', { selector: { matchLabels: {} }, maxUnavailable: 0 }, 'absent'],
]

for (const [title, spec, state] of STATES)
  test(`a gate is open or closed by what it selects and allows, whatever a policy sets beside that: ${title}, ${state}`, () => {
    assert.equal(gateState(IDS, IDENTITY, gate(spec)), state)
  })

test('of a revision only its number and its marks are ever written', () => {
  const found = served('ControllerRevision', wantedRevision(IDS, { number: 1, collisionCount: 0 }))
  const wanted = wantedRevision(IDS, { number: 4, collisionCount: 0 })
  assert.deepEqual(revisionPatch(found, wanted), { metadata: { resourceVersion }, revision: 4 })
  assert.deepEqual(revisionPatch({ ...found, owners: [] }, { ...wanted, revision: 1 }), {
    metadata: { resourceVersion, ownerReferences: found.owners },
  })
  assert.equal(revisionPatch(found, { ...wanted, revision: 1 }), undefined)
})
