import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Exchange } from '../../../src/ground/kube/exchange.ts'
import { FollowCache } from '../../../src/ground/loop/follow-cache.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { eventually } from '../api/eventually.ts'
import { type FrameGround, GUARDS, type Guard, objectsOf } from './frame-ground.ts'

/** The first watch asks for what the server has forgotten long ago. */
function forgetting() {
  const asked: string[] = []
  const between =
    (inner: Exchange): Exchange =>
    (connection, request, signal) => {
      if (request.method !== 'GET') return inner(connection, request, signal)
      const isFirst = !asked.includes('watch')
      asked.push(request.target.includes('watch=true') ? 'watch' : 'list')
      const target = isFirst ? request.target.replace(/resourceVersion=\d+/, 'resourceVersion=2') : request.target
      return inner(connection, { ...request, target }, signal)
    }
  return { asked, between }
}

/** Follows of a custom kind, as a cache keeps them: keys, an index, and a server that forgets. */
export function followsContract(ground: () => FrameGround): void {
  const name = (n: number): string => `followed-${n}`
  const key = (n: number): string => `default/${name(n)}`
  const of = (set: string) => ({ kind: GUARDS, namespace: 'default', labelSelector: `set=${set}` })

  function followed(set: string, between?: (inner: Exchange) => Exchange) {
    const { signal } = ground()
    const objects = objectsOf(ground(), between)
    const changes: string[] = []
    const cache = new FollowCache<Guard>({
      follow: (sink, life) => objects.follow(of(set), sink, life),
      clock,
      onKey: (key, { before, now }) => changes.push(`${key} ${before?.size ?? '-'} ${now?.size ?? '-'}`),
    })
    const bySize = cache.index(({ size }) => [String(size)])
    const stop = new AbortController()
    const running = cache.run(AbortSignal.any([signal, stop.signal])).catch((error: unknown) => error)
    const end = async (): Promise<void> => {
      stop.abort(new Error('over'))
      await running
    }
    const make = (n: number, size: number) =>
      objects.create(
        {
          kind: GUARDS,
          namespace: 'default',
          object: { metadata: { name: name(n), labels: { set } }, spec: { size } },
        },
        signal,
      )
    const resize = (n: number, size: number) =>
      objects.patch({ kind: GUARDS, namespace: 'default', name: name(n), patch: { spec: { size } } }, signal)
    const remove = (n: number) => objects.delete({ kind: GUARDS, namespace: 'default', name: name(n) }, signal)
    return { cache, bySize, changes, end, make, resize, remove, signal }
  }

  test('a cache tells each key that came, changed or went, and finds objects by a field', async () => {
    const { cache, bySize, changes, end, make, resize, remove, signal } = followed('keys')
    await make(1, 1)
    await cache.synced(signal)
    await eventually('the first', () => cache.get(key(1)) !== undefined)
    await make(2, 1)
    await eventually('the second', () => bySize.get('1').length === 2)
    await resize(2, 5)
    await eventually('its growth', () => bySize.get('5').length === 1)
    assert.deepEqual(
      bySize.get('1').map((guard) => guard.name),
      [name(1)],
    )
    await remove(1)
    await eventually('the end of the first', () => cache.get(key(1)) === undefined)
    assert.deepEqual(bySize.get('1'), [])
    assert.deepEqual(changes, [`${key(1)} - 1`, `${key(2)} - 1`, `${key(2)} 1 5`, `${key(1)} 1 -`])
    await remove(2)
    await end()
  })

  test('a server that has forgotten where the watch begins is listed again, and only what changed is reported', async () => {
    const { asked, between } = forgetting()
    const { cache, changes, end, make, resize, remove, signal } = followed('forgotten', between)
    await make(3, 1)
    await cache.synced(signal)
    // The 410 comes once the first list is there; what happens before the second list is told by that one.
    await resize(3, 2)
    await make(4, 7)
    await eventually('both as they are', () => cache.get(key(3))?.size === 2 && cache.get(key(4))?.size === 7)
    assert.equal(cache.freshness().brokenSince, undefined)
    assert.deepEqual(asked, ['list', 'watch', 'list', 'watch'])
    assert.equal(changes.at(0)?.startsWith(`${key(3)} -`), true)
    assert.equal(new Set(changes).size, changes.length)
    await Promise.all([remove(3), remove(4)])
    await eventually('the end', () => cache.objects().length === 0)
    await end()
  })
}
