import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventRecorder } from '../../../src/ground/loop/event-recorder.ts'
import { StatusWriter } from '../../../src/ground/loop/status-writer.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import { field } from '../api/field.ts'
import { type FrameGround, GUARDS, type Guard, objectsOf, SERVICES } from './frame-ground.ts'

const CONFLICT = { name: 'WorldError', code: 'KUBE_CONFLICT' }
const HOLDS = { type: 'Ready', status: 'False', reason: 'VolumeOnNode', message: 'A volume is on n1.' }
const CLEAR = { type: 'Ready', status: 'True', reason: 'Clear', message: 'Nothing holds.' }

/** The status of an object and its Events, as a pass of a controller writes them. */
export function statusesContract(ground: () => FrameGround): void {
  test('the status of a new object is written whole, and its spec is not touched by it', async () => {
    const { signal, door } = ground()
    const objects = objectsOf(ground())
    const writer = new StatusWriter({ objects, kind: GUARDS, clock })
    const object = { metadata: { name: 'told-a' }, spec: { size: 2 }, status: { held: 'not for people to write' } }
    const made = await objects.create({ kind: GUARDS, namespace: 'default', object }, signal)
    assert.deepEqual(made.status.fields, {})
    const wanted = { conditions: [HOLDS], fields: { nodes: { n1: 'held', n2: 'free' }, held: ['n1'] } }
    assert.equal(await writer.write(made, wanted, signal), true)
    const { body } = await door.ask('GET', '/apis/evenkeel.dev/v1alpha1/namespaces/default/nodeguards/told-a')
    const { conditions, ...rest } = field(body, 'status') as { readonly conditions: readonly Guard['status'][] }
    assert.deepEqual(rest, { observedGeneration: 1, nodes: { n1: 'held', n2: 'free' }, held: ['n1'] })
    const { lastTransitionTime, ...words } = conditions[0] as unknown as { readonly lastTransitionTime: string }
    assert.deepEqual(words, { ...HOLDS, observedGeneration: 1 })
    assert.match(lastTransitionTime, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    assert.equal(field(body, 'spec.size'), 2)
    await objects.delete({ kind: GUARDS, namespace: 'default', name: 'told-a' }, signal)
  })

  test('an unchanged status is not written again, not even by another writer that reads it anew', async () => {
    const { signal } = ground()
    const objects = objectsOf(ground())
    const at = { kind: GUARDS, namespace: 'default', name: 'told-b' }
    const made = await objects.create(
      { kind: GUARDS, namespace: 'default', object: { metadata: { name: 'told-b' } } },
      signal,
    )
    const wanted = { conditions: [HOLDS], fields: { nodes: { n1: 'held' } } }
    const writer = new StatusWriter({ objects, kind: GUARDS, clock })
    assert.equal(await writer.write(made, wanted, signal), true)
    assert.equal(await writer.write(made, wanted, signal), false, 'though the cache shows it as it was')
    const read = await objects.get(at, signal)
    assert.ok(read)
    assert.equal(await new StatusWriter({ objects, kind: GUARDS, clock }).write(read, wanted, signal), false)
    // Written again past the cache: under the version that the answer had.
    assert.equal(await writer.write(made, { conditions: [CLEAR], fields: {} }, signal), true)
    const now = await objects.get(at, signal)
    assert.deepEqual(now?.status.fields, {})
    assert.deepEqual(
      now?.status.conditions.map(({ reason }) => reason),
      ['Clear'],
    )
    await objects.delete(at, signal)
  })

  test('a status is not written over what changed since it was read', async () => {
    const { signal } = ground()
    const objects = objectsOf(ground())
    const at = { kind: GUARDS, namespace: 'default', name: 'told-c' }
    const made = await objects.create(
      { kind: GUARDS, namespace: 'default', object: { metadata: { name: 'told-c' } } },
      signal,
    )
    await objects.patch({ ...at, patch: { spec: { size: 4 } } }, signal)
    const writer = new StatusWriter({ objects, kind: GUARDS, clock })
    await assert.rejects(writer.write(made, { conditions: [HOLDS], fields: {} }, signal), CONFLICT)
    const read = await objects.get(at, signal)
    assert.ok(read)
    assert.equal(await writer.write(read, { conditions: [HOLDS], fields: {} }, signal), true)
    const now = await objects.get(at, signal)
    assert.deepEqual([now?.status.observedGeneration, now?.generation], [2, 2])
    await objects.delete(at, signal)
    await assert.rejects(objects.patchStatus({ ...at, patch: { status: {} } }, signal), {
      name: 'WorldError',
      code: 'KUBE_NOT_FOUND',
    })
  })

  test('the status of a built-in kind takes both kinds of patches', async () => {
    const { signal } = ground()
    const objects = objectsOf(ground())
    const at = { kind: SERVICES, namespace: 'default', name: 'frame-web' }
    const object = { metadata: { name: 'frame-web' }, spec: { ports: [{ port: 80 }], selector: { app: 'web' } } }
    await objects.create({ kind: SERVICES, namespace: 'default', object }, signal)
    const condition = { ...CLEAR, type: 'evenkeel.dev/Ready', lastTransitionTime: '2026-01-01T00:00:00Z' }
    const merged = await objects.patchStatus({ ...at, patch: { status: { conditions: [condition] } } }, signal)
    assert.deepEqual(merged.conditions, [condition])
    const path = '/status/conditions/0/reason'
    const patch = [
      { op: 'test', path, value: 'Clear' },
      { op: 'replace', path, value: 'Clearer' },
    ] as const
    const [now] = (await objects.patchStatus({ ...at, patch }, signal)).conditions
    assert.equal(now?.reason, 'Clearer')
    await assert.rejects(objects.patchStatus({ ...at, patch }, signal), CONFLICT)
    await objects.delete(at, signal)
  })

  test('what is said again of the same object is counted in its Event', async () => {
    const { signal, door } = ground()
    const objects = objectsOf(ground())
    const { uid } = await objects.create(
      { kind: GUARDS, namespace: 'default', object: { metadata: { name: 'told-d' } } },
      signal,
    )
    const recorder = new EventRecorder({ objects, clock, random, identity: 'a-test' })
    const about = {
      apiVersion: 'evenkeel.dev/v1alpha1',
      kind: 'NodeGuard',
      namespace: 'default',
      name: 'told-d',
      uid,
      type: 'Warning',
    } as const
    const tell = (text: string) => recorder.tell({ ...about, reason: { code: 'VolumeOnNode', text } }, signal)
    for (const text of ['a volume is on n1', 'a volume is on n1', 'a volume is on n2', 'a volume is on n1'])
      await tell(text)
    const asked = encodeURIComponent(`involvedObject.uid=${uid}`)
    const { body } = await door.ask('GET', `/api/v1/namespaces/default/events?fieldSelector=${asked}`)
    const items = field(body, 'items') as readonly unknown[]
    assert.deepEqual(items.map((item) => `${field(item, 'count')} ${field(item, 'message')}`).toSorted(), [
      '1 a volume is on n2',
      '3 a volume is on n1',
    ])
    assert.equal(field(items[0], 'involvedObject.apiVersion'), 'evenkeel.dev/v1alpha1')
    await objects.delete({ kind: GUARDS, namespace: 'default', name: 'told-d' }, signal)
  })
}
