import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ObjectKind } from '../../../src/ground/model/object-kind.ts'
import { type FrameGround, GUARDS, MAPS, objectsOf } from './frame-ground.ts'

const CONFLICT = { name: 'WorldError', code: 'KUBE_CONFLICT' }
const NOT_FOUND = { name: 'WorldError', code: 'KUBE_NOT_FOUND' }

/** Reads and writes of built-in kinds and of a custom one, and what makes each fail. */
export function writesContract(ground: () => FrameGround): void {
  test('an object is made once, read, listed by its selectors, and deleted once', async () => {
    const { signal } = ground()
    const objects = objectsOf(ground())
    const at = { kind: MAPS, namespace: 'default', name: 'frame-a' }
    assert.equal(await objects.get(at, signal), undefined)
    const object = { metadata: { name: 'frame-a', labels: { frame: 'writes' } }, data: { k: 'v' } }
    const made = await objects.create({ kind: MAPS, namespace: 'default', object }, signal)
    assert.deepEqual([made.namespace, made.data], ['default', { k: 'v' }])
    await assert.rejects(objects.create({ kind: MAPS, namespace: 'default', object }, signal), CONFLICT)
    assert.deepEqual(await objects.get(at, signal), made)
    const narrowed = [
      { labelSelector: 'frame=writes' },
      { namespace: 'default', fieldSelector: 'metadata.name=frame-a' },
    ]
    for (const narrow of narrowed) assert.deepEqual(await objects.list({ kind: MAPS, ...narrow }, signal), [made])
    assert.deepEqual(
      await objects.list({ kind: MAPS, namespace: 'kube-system', labelSelector: 'frame=writes' }, signal),
      [],
    )
    assert.equal(await objects.delete(at, signal), true)
    assert.equal(await objects.delete(at, signal), false)
    assert.equal(await objects.get(at, signal), undefined)
  })

  test('a patch is made under the version or the test that it names, or not at all', async () => {
    const { signal } = ground()
    const objects = objectsOf(ground())
    const at = { kind: MAPS, namespace: 'default', name: 'frame-b' }
    await assert.rejects(objects.patch({ ...at, patch: { data: { k: 'v' } } }, signal), NOT_FOUND)
    const object = { metadata: { name: 'frame-b' }, data: { k: 'v', old: 'x' } }
    const { resourceVersion } = await objects.create({ kind: MAPS, namespace: 'default', object }, signal)
    const merged = await objects.patch({ ...at, patch: { metadata: { resourceVersion }, data: { old: null } } }, signal)
    assert.deepEqual(merged.data, { k: 'v' })
    const late = { metadata: { resourceVersion }, data: { k: 'late' } }
    await assert.rejects(objects.patch({ ...at, patch: late }, signal), CONFLICT)
    const replace = { op: 'replace', path: '/data/k', value: 'w' } as const
    const tested = (value: string) => [{ op: 'test', path: '/data/k', value } as const, replace]
    assert.deepEqual((await objects.patch({ ...at, patch: tested('v') }, signal)).data, { k: 'w' })
    await assert.rejects(objects.patch({ ...at, patch: tested('v') }, signal), CONFLICT)
    await objects.delete(at, signal)
  })

  test('an invalid patch is refused, and not as a conflict that a second try could resolve', async () => {
    const { signal } = ground()
    const objects = objectsOf(ground())
    const at = { kind: MAPS, namespace: 'default', name: 'frame-c' }
    await objects.create({ kind: MAPS, namespace: 'default', object: { metadata: { name: 'frame-c' } } }, signal)
    const uid = '00000000-0000-4000-8000-000000000000'
    await assert.rejects(objects.patch({ ...at, patch: { metadata: { uid } } }, signal), {
      name: 'WorldError',
      code: 'KUBE_INVALID',
    })
    await objects.delete(at, signal)
  })

  test('a deletion is of the very object that was read', async () => {
    const { signal } = ground()
    const objects = objectsOf(ground())
    const kinds: readonly ObjectKind<{ readonly uid: string; readonly resourceVersion: string }>[] = [MAPS, GUARDS]
    const namespace = 'default'
    for (const kind of kinds) {
      const at = { kind, namespace, name: 'frame-d' }
      const object = { metadata: { name: 'frame-d' } }
      const first = await objects.create({ kind, namespace, object }, signal)
      await objects.patch({ ...at, patch: { metadata: { labels: { a: 'b' } } } }, signal)
      const { uid, resourceVersion } = first
      await assert.rejects(objects.delete({ ...at, uid, resourceVersion }, signal), CONFLICT)
      assert.equal(await objects.delete({ ...at, uid }, signal), true)
      const second = await objects.create({ kind, namespace, object }, signal)
      await assert.rejects(objects.delete({ ...at, uid }, signal), CONFLICT)
      const { resourceVersion: version } = second
      assert.equal(await objects.delete({ ...at, uid: second.uid, resourceVersion: version }, signal), true)
    }
  })

  test('a custom resource is one more kind', async () => {
    const { signal } = ground()
    const objects = objectsOf(ground())
    const at = { kind: GUARDS, namespace: 'default', name: 'frame-e' }
    const object = { metadata: { name: 'frame-e' }, spec: { size: 2 } }
    const made = await objects.create({ kind: GUARDS, namespace: 'default', object }, signal)
    assert.deepEqual([made.size, made.generation], [2, 1])
    const labelled = await objects.patch({ ...at, patch: { metadata: { labels: { of: 'test' } } } }, signal)
    assert.equal(labelled.generation, 1)
    const grown = await objects.patch({ ...at, patch: [{ op: 'replace', path: '/spec/size', value: 3 }] }, signal)
    assert.deepEqual([grown.size, grown.generation], [3, 2])
    assert.deepEqual(await objects.list({ kind: GUARDS, labelSelector: 'of=test' }, signal), [grown])
    assert.equal(await objects.delete(at, signal), true)
  })

  test('a kind that is not served has no path, which is no word that an object of it is not there', async () => {
    const { signal } = ground()
    const objects = objectsOf(ground())
    const kind = { ...GUARDS, resource: 'nodewardens' }
    const at = { kind, namespace: 'default', name: 'x' }
    const asks = [() => objects.list({ kind }, signal), () => objects.get(at, signal), () => objects.delete(at, signal)]
    for (const ask of asks) await assert.rejects(ask, { name: 'WorldError', code: 'KUBE_NO_PATH' })
  })
}
