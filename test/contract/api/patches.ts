import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiDoor } from './api-door.ts'
import { field, fields } from './field.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const NODES = '/api/v1/nodes'
const JSON_PATCH = 'application/json-patch+json'
const MERGE = 'application/merge-patch+json'
const STRATEGIC = 'application/strategic-merge-patch+json'

/** The three kinds of patches, and what makes one fail. */
export function patchesContract(door: () => ApiDoor): void {
  const ask: ApiDoor['ask'] = (...words) => door().ask(...words)
  const aNode = async (name: string, more: object = {}) =>
    (await ask('POST', NODES, { body: { metadata: { name, labels: { made: 'by-test' } }, ...more } })).body
  const patch = (name: string, contentType: string, body: unknown) =>
    ask('PATCH', `${NODES}/${name}`, { contentType, body })

  test('a JSON patch is made where its tests hold, else nothing of it', async () => {
    await aNode('tested')
    const test = { op: 'test', path: '/metadata/labels/made', value: 'by-test' }
    const cordon = { op: 'add', path: '/spec/unschedulable', value: true }
    const good = await patch('tested', JSON_PATCH, [test, cordon])
    assert.deepEqual([good.status, field(good.body, 'spec.unschedulable')], [200, true])
    const back = { op: 'remove', path: '/spec/unschedulable' }
    const bad = await patch('tested', JSON_PATCH, [back, { ...test, value: 'by-somebody' }])
    assert.deepEqual(
      [bad.status, ...fields(bad.body, 'reason', 'message', 'details.causes')],
      [422, 'Invalid', 'the server rejected our request due to an error in our request', undefined],
    )
    assert.equal(field((await ask('GET', `${NODES}/tested`)).body, 'spec.unschedulable'), true)
  })

  test('a strategic patch of finalizers leaves what was there, after its own', async () => {
    await ask('POST', MAPS, { body: { metadata: { name: 'held', finalizers: ['t.l/a', 't.l/b'] } } })
    const merged = async (...finalizers: readonly string[]) => {
      const body = { metadata: { finalizers } }
      return field((await ask('PATCH', `${MAPS}/held`, { contentType: STRATEGIC, body })).body, 'metadata.finalizers')
    }
    assert.deepEqual(await merged('t.l/c'), ['t.l/c', 't.l/a', 't.l/b'])
    assert.deepEqual(await merged('t.l/a', 't.l/d'), ['t.l/c', 't.l/a', 't.l/d', 't.l/b'])
    await ask('PATCH', `${MAPS}/held`, { contentType: MERGE, body: { metadata: { finalizers: null } } })
    await ask('DELETE', `${MAPS}/held`)
  })

  test('a number for a text is wrong with the patch, whatever its kind', async () => {
    await ask('POST', MAPS, { body: { metadata: { name: 'typed' } } })
    for (const contentType of [STRATEGIC, MERGE, JSON_PATCH]) {
      const body = contentType === JSON_PATCH ? [{ op: 'add', path: '/data', value: { k: 3 } }] : { data: { k: 3 } }
      const reply = await ask('PATCH', `${MAPS}/typed`, { contentType, body })
      assert.deepEqual([reply.status, field(reply.body, 'details.causes.0.field')], [422, 'patch'], contentType)
    }
  })

  test('a JSON patch of what is not there fails, but what is not there may be replaced', async () => {
    await ask('POST', MAPS, { body: { metadata: { name: 'bare' } } })
    const patched = async (op: string, path: string, value?: unknown) => {
      const operation = op === 'remove' ? { op, path } : { op, path, value }
      return await ask('PATCH', `${MAPS}/bare`, { contentType: JSON_PATCH, body: [operation] })
    }
    for (const op of ['remove', 'replace', 'add', 'test']) {
      assert.equal((await patched(op, '/metadata/annotations/none', 'x')).status, 422, `${op} in nothing`)
    }
    assert.equal((await patched('add', '/metadata/annotations', { 'a/b': '1' })).status, 200)
    for (const op of ['remove', 'test']) {
      assert.equal((await patched(op, '/metadata/annotations/none', 'x')).status, 422, op)
    }
    assert.equal((await patched('replace', '/metadata/annotations/new', '5')).status, 200)
    await patched('add', '/metadata/annotations/c', '4')
    const { body } = await patched('replace', '/metadata/annotations/a~1b', '3')
    assert.deepEqual(field(body, 'metadata.annotations'), { 'a/b': '3', c: '4', new: '5' })
  })

  test('a JSON patch takes what is not there for null where it tests, and counts from the end by a negative index', async () => {
    await ask('POST', MAPS, { body: { metadata: { name: 'nulls' }, data: { k: 'v' } } })
    const patched = async (...operations: readonly object[]) =>
      await ask('PATCH', `${MAPS}/nulls`, { contentType: JSON_PATCH, body: operations })
    const isNull = (path: string) => ({ op: 'test', path, value: null })
    for (const test of [
      isNull('/metadata/annotations'),
      isNull('/data/none'),
      { op: 'test', path: '/metadata/none' },
    ]) {
      assert.equal((await patched(test)).status, 200, JSON.stringify(test))
    }
    for (const test of [isNull('/data/k'), isNull('/metadata/annotations/none'), { op: 'test', path: '/data/k' }]) {
      assert.equal((await patched(test)).status, 422, JSON.stringify(test))
    }
    const all = { op: 'add', path: '/metadata/finalizers', value: ['t.l/a', 't.l/b', 't.l/c'] }
    const { body } = await patched(all, { op: 'remove', path: '/metadata/finalizers/-1' })
    assert.deepEqual(field(body, 'metadata.finalizers'), ['t.l/a', 't.l/b'])
    const none = await patched({ op: 'remove', path: '/metadata/finalizers/-3' })
    assert.equal(none.status, 422)
    await patched({ op: 'remove', path: '/metadata/finalizers' })
  })

  test('a JSON patch puts into lists by index and at the end', async () => {
    const taint = (key: string) => ({ key, effect: 'NoSchedule' })
    await aNode('listed', { spec: { taints: [taint('a'), taint('c')] } })
    const { body } = await patch('listed', JSON_PATCH, [
      { op: 'add', path: '/spec/taints/1', value: taint('b') },
      { op: 'add', path: '/spec/taints/-', value: taint('d') },
      { op: 'remove', path: '/spec/taints/0' },
    ])
    const keys = (field(body, 'spec.taints') as readonly { readonly key: string }[]).map(({ key }) => key)
    assert.deepEqual(
      keys.filter((key) => key.length === 1),
      ['b', 'c', 'd'],
    )
  })

  test('a version in a patch is a condition', async () => {
    await aNode('versioned')
    const stale = await patch('versioned', MERGE, { metadata: { resourceVersion: '1' }, spec: { unschedulable: true } })
    assert.deepEqual([stale.status, field(stale.body, 'reason')], [409, 'Conflict'])
    const uid = '00000000-0000-4000-8000-000000000000'
    const other = await patch('versioned', MERGE, { metadata: { uid }, spec: { unschedulable: true } })
    assert.deepEqual([other.status, field(other.body, 'reason')], [422, 'Invalid'])
    assert.match(String(field(other.body, 'message')), /metadata\.uid: Invalid value: .*: field is immutable/)
  })

  test('a strategic patch of the status of a node sets and removes conditions by their types, and no others', async () => {
    await aNode('announced')
    const status = (conditions: readonly object[]) =>
      ask('PATCH', `${NODES}/announced/status`, { contentType: STRATEGIC, body: { status: { conditions } } })
    const at = '2026-01-01T00:00:00Z'
    const condition = (type: string) => ({ type, status: 'True', lastHeartbeatTime: at, lastTransitionTime: at })
    await status([condition('Ready')])
    const set = await status([condition('MaintenanceInProgress'), condition('Drained')])
    assert.equal(set.status, 200)
    const { body } = await status([
      { $patch: 'delete', type: 'MaintenanceInProgress' },
      { $patch: 'delete', type: 'None' },
    ])
    const types = (field(body, 'status.conditions') as readonly { readonly type: string }[]).map(({ type }) => type)
    assert.deepEqual(types.toSorted(), ['Drained', 'Ready'])
  })

  test('a merge patch removes by null and replaces lists whole', async () => {
    await aNode('merged', { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } })
    const { body } = await patch('merged', MERGE, {
      metadata: { labels: { made: null, other: 'x' } },
      spec: { taints: [{ key: 'b', effect: 'NoSchedule' }] },
    })
    const labels = field(body, 'metadata.labels') as Readonly<Record<string, string>>
    assert.deepEqual([labels.made, labels.other], [undefined, 'x'])
    const keys = (field(body, 'spec.taints') as readonly { readonly key: string }[]).map(({ key }) => key)
    assert.ok(keys.includes('b') && !keys.includes('a'), keys.join())
  })

  test('a strategic patch cordons, and merges the conditions of a status by their type', async () => {
    await aNode('strategic')
    const cordoned = await patch('strategic', STRATEGIC, { spec: { unschedulable: true } })
    assert.equal(field(cordoned.body, 'spec.unschedulable'), true)
    const uncordoned = await patch('strategic', STRATEGIC, { spec: { unschedulable: null } })
    assert.equal(field(uncordoned.body, 'spec.unschedulable'), undefined)
    const path = `${NODES}/strategic/status`
    const condition = (type: string, status: string) => ({ status: { conditions: [{ type, status }] } })
    await ask('PATCH', path, { contentType: STRATEGIC, body: condition('First', 'True') })
    await ask('PATCH', path, { contentType: STRATEGIC, body: condition('Second', 'True') })
    const { body } = await ask('PATCH', path, { contentType: STRATEGIC, body: condition('First', 'False') })
    const conditions = field(body, 'status.conditions') as readonly { readonly type: string; readonly status: string }[]
    const ours = conditions.filter(({ type }) => type === 'First' || type === 'Second')
    assert.deepEqual(Object.fromEntries(ours.map(({ type, status }) => [type, status])), {
      First: 'False',
      Second: 'True',
    })
  })

  test('a patch of an unknown kind is refused', async () => {
    await aNode('unknown')
    const { status, body } = await patch('unknown', 'application/x-wish', {})
    assert.deepEqual([status, field(body, 'reason')], [415, 'UnsupportedMediaType'])
  })
}
