import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseOwnedObject } from '../../../src/ground/model/owned-object.ts'
import { MalformedReply, Untrusted } from '../../../src/ground/model/untrusted.ts'

const parsed = (object: object) => parseOwnedObject(new Untrusted(object, 'object'))

const METADATA = { namespace: 'edge', name: 'front-a', uid: 'u-1', resourceVersion: '7' }
const OWNER = {
  apiVersion: 'evenkeel.dev/v1alpha1',
  kind: 'IngressDaemonSet',
  name: 'front',
  uid: 'u-0',
  controller: true,
}
const OTHER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u-2', blockOwnerDeletion: false }

test('an object keeps each field that is compared, and neither its status nor its managed fields', () => {
  const metadata = {
    ...METADATA,
    labels: { app: 'edge' },
    annotations: { a: 'b' },
    ownerReferences: [OTHER, OWNER],
    managedFields: [{ manager: 'kubectl' }],
  }
  const object = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: { replicas: 2 }, status: { replicas: 2 } }
  assert.deepEqual(parsed(object), {
    namespace: 'edge',
    name: 'front-a',
    uid: 'u-1',
    resourceVersion: '7',
    deleting: false,
    labels: { app: 'edge' },
    annotations: { a: 'b' },
    owners: [OTHER, OWNER],
    controller: { kind: 'IngressDaemonSet', name: 'front', uid: 'u-0' },
    content: { spec: { replicas: 2 } },
  })
})

test('an object without owners has no controller, and one with a deletion timestamp is being deleted', () => {
  const object = { metadata: { ...METADATA, deletionTimestamp: '2026-01-01T00:00:00Z' }, data: { a: 1 }, revision: 3 }
  assert.deepEqual(parsed(object), {
    namespace: 'edge',
    name: 'front-a',
    uid: 'u-1',
    resourceVersion: '7',
    deleting: true,
    labels: {},
    annotations: {},
    owners: [],
    content: { data: { a: 1 }, revision: 3 },
  })
})

test('an owner that is no object makes no sense', () => {
  assert.throws(() => parsed({ metadata: { ...METADATA, ownerReferences: ['front'] } }), MalformedReply)
})
