import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiDoor } from './api-door.ts'
import { eventually } from './eventually.ts'
import { field } from './field.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
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
    await release('fore')
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
    assert.equal((await ask('GET', '/api/v1/namespaces/doomed')).status, 200)
    await patch(`${maps}/inside`, { metadata: { finalizers: null } })
    await eventually(
      'the namespace to be gone',
      async () => (await ask('GET', '/api/v1/namespaces/doomed')).status === 404,
    )
  })
}
