import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wallMs } from '../../../src/ground/model/time.ts'
import { decideObject } from '../../../src/ingress/decide/decide-object.ts'
import { ingressReading } from '../../../src/ingress/decide/reading.ts'
import { templateHash, wantedRevision } from '../../../src/ingress/decide/revision.ts'
import { anIngress } from '../../support/ingress-objects.ts'
import { served } from '../../support/served-object.ts'

test('an object whose name and template another object has as well keeps its template under another name', () => {
  const first = { ...anIngress(), finalizers: ['evenkeel.dev/detached-nodes'] }
  const second = { ...first, uid: 'uid-of-the-second' }
  const taken = served('ControllerRevision', wantedRevision(first, { number: 1, collisionCount: 0 }))
  const reading = (revisions: readonly (typeof taken)[]) =>
    ingressReading({
      ...{ object: second, status: {}, isFresh: true, now: wallMs(0) },
      ...{ nodes: [], deployments: [], gates: [], revisions, daemonSets: [] },
      podsOf: () => [],
      budget: { limit: { kind: 'count', count: 1 }, slots: [], cordons: 'unknown' },
      slotHolder: 'controller/lease/second',
      heldSlot: () => undefined,
      acknowledgedSince: () => undefined,
      agentOf: () => undefined,
    })
  const asked = decideObject({ kind: 'seen', reading: reading([taken]) })
  assert.ok(asked.kind === 'act')
  assert.deepEqual(asked.actions, [{ kind: 'createRevision', number: 1, collisionCount: 1 }])
  const made = served('ControllerRevision', wantedRevision(second, { number: 1, collisionCount: 1 }))
  assert.notEqual(made.name, taken.name)
  assert.equal(made.labels['controller-revision-hash'], templateHash(first.spec))
  assert.notEqual(decideObject({ kind: 'seen', reading: reading([taken, made]) }).kind, 'act')
})
