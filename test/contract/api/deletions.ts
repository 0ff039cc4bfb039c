import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiDoor } from './api-door.ts'
import { eventually } from './eventually.ts'
import { field, fields } from './field.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const PODS = '/api/v1/namespaces/default/pods'
const MERGE = 'application/merge-patch+json'

const pod = (name: string, spec: object = {}) => ({
  metadata: { name },
  spec: { nodeName: 'n1', terminationGracePeriodSeconds: 33, containers: [{ name: 'main', image: 'none' }], ...spec },
})

/** Deletions: at once, by grace, held by finalizers, under preconditions. Needs a node n1 that no kubelet runs. */
export function deletionsContract(door: () => ApiDoor): void {
  const ask: ApiDoor['ask'] = (...words) => door().ask(...words)

  test('an object without a finalizer is gone at once, and its last answer names it', async () => {
    const { body: made } = await ask('POST', MAPS, { body: { metadata: { name: 'short' } } })
    const { status, body } = await ask('DELETE', `${MAPS}/short`)
    assert.deepEqual(
      [status, ...fields(body, 'status', 'details.name', 'details.kind', 'details.uid')],
      [200, 'Success', 'short', 'configmaps', field(made, 'metadata.uid')],
    )
    assert.equal((await ask('GET', `${MAPS}/short`)).status, 404)
    assert.equal((await ask('DELETE', `${MAPS}/short`)).status, 404)
  })

  test('a finalizer holds what was deleted, and the last one to go lets it go', async () => {
    await ask('POST', MAPS, { body: { metadata: { name: 'held', finalizers: ['test.local/one', 'test.local/two'] } } })
    const { status, body } = await ask('DELETE', `${MAPS}/held`)
    assert.equal(status, 200)
    assert.match(String(field(body, 'metadata.deletionTimestamp')), /Z$/)
    assert.equal(field(body, 'metadata.deletionGracePeriodSeconds'), 0)
    const fewer = { metadata: { finalizers: ['test.local/two'] } }
    await ask('PATCH', `${MAPS}/held`, { contentType: MERGE, body: fewer })
    assert.equal((await ask('GET', `${MAPS}/held`)).status, 200)
    await ask('PATCH', `${MAPS}/held`, { contentType: MERGE, body: { metadata: { finalizers: null } } })
    assert.equal((await ask('GET', `${MAPS}/held`)).status, 404)
  })

  test('a deletion of another object of that name is a conflict', async () => {
    await ask('POST', MAPS, { body: { metadata: { name: 'meant' } } })
    const uid = '00000000-0000-4000-8000-000000000000'
    const { status, body } = await ask('DELETE', `${MAPS}/meant`, { body: { preconditions: { uid } } })
    assert.equal(status, 409)
    assert.match(String(field(body, 'message')), /the UID in the precondition|UID in precondition/)
    const old = await ask('DELETE', `${MAPS}/meant`, { body: { preconditions: { resourceVersion: '1' } } })
    assert.equal(old.status, 409)
    assert.equal((await ask('GET', `${MAPS}/meant`)).status, 200)
  })

  test('a pod on a node gets its own grace, and stays for its kubelet', async () => {
    await ask('POST', PODS, { body: pod('graceful') })
    const { status, body } = await ask('DELETE', `${PODS}/graceful`)
    assert.deepEqual([status, ...fields(body, 'kind', 'metadata.deletionGracePeriodSeconds')], [200, 'Pod', 33])
    const due =
      Date.parse(String(field(body, 'metadata.deletionTimestamp'))) -
      Date.parse(String(field(body, 'metadata.creationTimestamp')))
    assert.ok(due >= 33_000 && due <= 38_000, `${due} ms`)
    assert.equal((await ask('GET', `${PODS}/graceful`)).status, 200)
  })

  test('a grace can only become shorter, and none at all is the end', async () => {
    await ask('POST', PODS, { body: pod('hurried') })
    const seconds = async (query: string) => {
      const { body } = await ask('DELETE', `${PODS}/hurried${query}`)
      return field(body, 'metadata.deletionGracePeriodSeconds')
    }
    assert.equal(await seconds('?gracePeriodSeconds=20'), 20)
    assert.equal(await seconds('?gracePeriodSeconds=60'), 20)
    assert.equal(await seconds('?gracePeriodSeconds=5'), 5)
    await seconds('?gracePeriodSeconds=0')
    assert.equal((await ask('GET', `${PODS}/hurried`)).status, 404)
  })

  test('a pod on no node, and one that has finished, need no grace', async () => {
    await ask('POST', PODS, {
      body: pod('nowhere', { nodeName: undefined, nodeSelector: { 'test.local/no': 'node' } }),
    })
    await ask('DELETE', `${PODS}/nowhere`)
    assert.equal((await ask('GET', `${PODS}/nowhere`)).status, 404)
    await ask('POST', PODS, { body: pod('finished') })
    await ask('PATCH', `${PODS}/finished/status`, { contentType: MERGE, body: { status: { phase: 'Succeeded' } } })
    await ask('DELETE', `${PODS}/finished`)
    assert.equal((await ask('GET', `${PODS}/finished`)).status, 404)
  })

  test('a pod goes by two commits, the first of which leaves it no grace; its generation counts its deletion once', async () => {
    const labels = { set: 'in-two' }
    const watch = await door().watch(`${PODS}?watch=true&labelSelector=set%3Din-two`)
    await ask('POST', PODS, { body: { ...pod('in-two'), metadata: { name: 'in-two', labels } } })
    await ask('DELETE', `${PODS}/in-two?gracePeriodSeconds=20`)
    await ask('DELETE', `${PODS}/in-two?gracePeriodSeconds=0`)
    const { metadata, spec } = pod('at-once', { nodeName: undefined, nodeSelector: { 'test.local/no': 'node' } })
    await ask('POST', PODS, { body: { metadata: { ...metadata, labels }, spec } })
    await ask('DELETE', `${PODS}/at-once`)
    const deletions = () =>
      watch.events
        .map(({ type, object }) => ({ type, object }))
        .filter(({ object }) => field(object, 'metadata.deletionTimestamp') !== undefined)
    await eventually('both to be gone', () => deletions().filter(({ type }) => type === 'DELETED').length === 2)
    watch.close()
    assert.deepEqual(
      deletions().map(({ type, object }) => [
        type,
        ...fields(object, 'metadata.name', 'metadata.deletionGracePeriodSeconds', 'metadata.generation'),
      ]),
      [
        ['MODIFIED', 'in-two', 20, 2],
        ['MODIFIED', 'in-two', 0, 2],
        ['DELETED', 'in-two', 0, 2],
        ['MODIFIED', 'at-once', 0, 2],
        ['DELETED', 'at-once', 0, 2],
      ],
    )
  })
}
