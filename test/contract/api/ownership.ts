import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiDoor } from './api-door.ts'
import { eventually } from './eventually.ts'
import { field } from './field.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const JOBS = '/apis/batch/v1/namespaces/default/jobs'
const CLASSES = '/apis/scheduling.k8s.io/v1/priorityclasses'
const EVENTS = '/api/v1/namespaces/default/events'
const involvedObject = { kind: 'Pod', name: 'x', namespace: 'default' }
const MERGE = 'application/merge-patch+json'

/** What a deletion does to what the object owns, and to what is in a namespace. Needs a controller manager. */
export function ownershipContract(door: () => ApiDoor): void {
  const ask: ApiDoor['ask'] = (...words) => door().ask(...words)
  const patch = (path: string, body: object) => ask('PATCH', path, { contentType: MERGE, body })

  /** An owner and one dependent, which a finalizer holds. */
  async function family(name: string, owner: object = {}): Promise<void> {
    const { body } = await ask('POST', MAPS, { body: { metadata: { name, ...owner } } })
    const reference = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name,
      uid: field(body, 'metadata.uid'),
      blockOwnerDeletion: true,
    }
    const metadata = { name: `${name}-child`, ownerReferences: [reference], finalizers: ['test.local/slow'] }
    await ask('POST', MAPS, { body: { metadata } })
  }
  const read = async (name: string) => (await ask('GET', `${MAPS}/${name}`)).body
  const isGoing = async (name: string) => field(await read(name), 'metadata.deletionTimestamp') !== undefined
  const isGone = async (name: string) => (await ask('GET', `${MAPS}/${name}`)).status === 404
  const release = (name: string) => patch(`${MAPS}/${name}`, { metadata: { finalizers: null } })
  const remove = (name: string, propagationPolicy: string) =>
    ask('DELETE', `${MAPS}/${name}`, { body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy } })

  test('in the foreground an owner waits for what it owns, whatever else holds the owner', async () => {
    await family('fore', { finalizers: ['test.local/own'] })
    await remove('fore', 'Foreground')
    await eventually('the child to be deleted', () => isGoing('fore-child'))
    assert.deepEqual(field(await read('fore'), 'metadata.finalizers'), ['test.local/own', 'foregroundDeletion'])
    await release('fore-child')
    await eventually('the owner to wait for its own finalizer alone', async () => {
      return String(field(await read('fore'), 'metadata.finalizers')) === 'test.local/own'
    })
    assert.equal(field((await release('fore')).body, 'metadata.finalizers'), undefined)
    assert.ok(await isGone('fore'))
  })

  test('in the background an owner goes first', async () => {
    await family('back')
    await remove('back', 'Background')
    assert.ok(await isGone('back'))
    await eventually('the child to be deleted', () => isGoing('back-child'))
    await release('back-child')
  })

  test('what is orphaned stays, without an owner', async () => {
    await family('orphaned')
    await remove('orphaned', 'Orphan')
    await eventually('the owner to be gone', () => isGone('orphaned'))
    const child = await read('orphaned-child')
    assert.deepEqual(
      ['metadata.ownerReferences', 'metadata.deletionTimestamp'].map((at) => field(child, at)),
      [undefined, undefined],
    )
    await release('orphaned-child')
    await ask('DELETE', `${MAPS}/orphaned-child`)
  })

  const absentOwner = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: 'absent',
    uid: '00000000-0000-4000-8000-000000000000',
  }

  test('a Job whose owner is gone goes in the background, with what it owns', async () => {
    const container = { name: 'main', image: 'none' }
    const template = { spec: { restartPolicy: 'Never', containers: [container] } }
    const held = { name: 'lost', finalizers: ['test.local/slow'] }
    const job = { metadata: held, spec: { suspend: true, template } }
    const { body } = await ask('POST', JOBS, { body: job })
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'lost', uid: field(body, 'metadata.uid') }
    await ask('POST', MAPS, { body: { metadata: { name: 'lost-child', ownerReferences: [owner] } } })
    await patch(`${JOBS}/lost`, { metadata: { ownerReferences: [absentOwner] } })
    await eventually('the Job to be deleted', async () => {
      return field((await ask('GET', `${JOBS}/lost`)).body, 'metadata.deletionTimestamp') !== undefined
    })
    assert.deepEqual(field((await ask('GET', `${JOBS}/lost`)).body, 'metadata.finalizers'), ['test.local/slow'])
    await patch(`${JOBS}/lost`, { metadata: { finalizers: null } })
    await eventually('its child to be gone', () => isGone('lost-child'))
  })

  test('what has no namespace stays, though an owner in a namespace is not there', async () => {
    await ask('POST', CLASSES, { body: { metadata: { name: 'owned', ownerReferences: [absentOwner] }, value: 1 } })
    await ask('POST', MAPS, { body: { metadata: { name: 'after', ownerReferences: [absentOwner] } } })
    await eventually('what came after it to be gone', () => isGone('after'))
    assert.equal((await ask('GET', `${CLASSES}/owned`)).status, 200)
    await ask('DELETE', `${CLASSES}/owned`)
  })

  test('an event stays, though its owner is gone', async () => {
    const told = {
      metadata: { name: 'kept', ownerReferences: [absentOwner] },
      involvedObject,
      reason: 'R',
      message: 'm',
    }
    assert.equal((await ask('POST', EVENTS, { body: told })).status, 201)
    await ask('POST', MAPS, { body: { metadata: { name: 'later', ownerReferences: [absentOwner] } } })
    await eventually('what came after it to be gone', () => isGone('later'))
    assert.equal((await ask('GET', `${EVENTS}/kept`)).status, 200)
    await ask('DELETE', `${EVENTS}/kept`)
  })

  test('an event goes at once, also where what it owns is to be orphaned', async () => {
    await ask('POST', EVENTS, { body: { metadata: { name: 'told' }, involvedObject, reason: 'R', message: 'm' } })
    await ask('DELETE', `${EVENTS}/told`, {
      body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Orphan' },
    })
    assert.equal((await ask('GET', `${EVENTS}/told`)).status, 404)
  })

  test('another word for a propagation is invalid', async () => {
    assert.equal((await ask('POST', MAPS, { body: { metadata: { name: 'sideways' } } })).status, 201)
    assert.equal((await remove('sideways', 'Sideways')).status, 422)
    await ask('DELETE', `${MAPS}/sideways`)
  })

  test('a namespace takes nothing new once it is deleted, and goes after all that is in it', async () => {
    const maps = '/api/v1/namespaces/doomed/configmaps'
    const leases = '/apis/coordination.k8s.io/v1/namespaces/doomed/leases'
    await ask('POST', '/api/v1/namespaces', { body: { metadata: { name: 'doomed' } } })
    await ask('POST', maps, { body: { metadata: { name: 'inside', finalizers: ['test.local/slow'] } } })
    await ask('POST', leases, { body: { metadata: { name: 'slot' }, spec: { holderIdentity: 'a' } } })
    const { body } = await ask('DELETE', '/api/v1/namespaces/doomed')
    assert.deepEqual(
      ['kind', 'status.phase'].map((at) => field(body, at)),
      ['Namespace', 'Terminating'],
    )
    const late = await ask('POST', maps, { body: { metadata: { name: 'late' } } })
    assert.deepEqual([late.status, field(late.body, 'details.causes.0.reason')], [403, 'NamespaceTerminating'])
    await eventually('the Lease to be gone', async () => (await ask('GET', `${leases}/slot`)).status === 404)
    await patch('/api/v1/namespaces/doomed', { metadata: { labels: { still: 'here' } } })
    assert.equal((await ask('GET', '/api/v1/namespaces/doomed')).status, 200)
    await patch(`${maps}/inside`, { metadata: { finalizers: null } })
    await eventually(
      'the namespace to be gone',
      async () => (await ask('GET', '/api/v1/namespaces/doomed')).status === 404,
    )
  })
}
