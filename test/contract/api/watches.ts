import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiDoor, OpenWatch } from './api-door.ts'
import { eventually } from './eventually.ts'
import { field } from './field.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'
const MERGE = 'application/merge-patch+json'

/** Watches: order, selectors, where they begin. */
export function watchesContract(door: () => ApiDoor): void {
  const ask: ApiDoor['ask'] = (...words) => door().ask(...words)
  const lines = ({ events }: OpenWatch) => events.map(({ type, object }) => `${type} ${field(object, 'metadata.name')}`)
  const aMap = (name: string, labels: Readonly<Record<string, string>>) =>
    ask('POST', MAPS, { body: { metadata: { name, labels } } })

  async function within(watch: OpenWatch, count: number): Promise<readonly string[]> {
    await eventually(`${count} events`, () => watch.events.length >= count)
    watch.close()
    return lines(watch)
  }

  test('a watch from a list’s version tells what came after, each once and in order', async () => {
    await aMap('watched-a', { set: 'watch-1' })
    const { body } = await ask('GET', `${MAPS}?labelSelector=set%3Dwatch-1`)
    const version = field(body, 'metadata.resourceVersion')
    await ask('PATCH', `${MAPS}/watched-a`, { contentType: MERGE, body: { data: { k: 'v' } } })
    await aMap('watched-b', { set: 'watch-1' })
    const watch = await door().watch(`${MAPS}?watch=true&labelSelector=set%3Dwatch-1&resourceVersion=${version}`)
    await ask('DELETE', `${MAPS}/watched-a`)
    assert.deepEqual(await within(watch, 3), ['MODIFIED watched-a', 'ADDED watched-b', 'DELETED watched-a'])
    const versions = watch.events.map(({ object }) => Number(field(object, 'metadata.resourceVersion')))
    assert.deepEqual(
      versions,
      versions.toSorted((a, b) => a - b),
    )
    assert.equal(new Set(versions).size, 3)
  })

  test('a watch from nowhere begins with what is there', async () => {
    await aMap('there-a', { set: 'watch-2' })
    await aMap('there-b', { set: 'watch-2' })
    const watch = await door().watch(`${MAPS}?watch=true&labelSelector=set%3Dwatch-2`)
    await eventually('both', () => watch.events.length >= 2)
    assert.deepEqual(lines(watch).toSorted(), ['ADDED there-a', 'ADDED there-b'])
    await aMap('there-c', { set: 'watch-2' })
    assert.equal((await within(watch, 3)).at(-1), 'ADDED there-c')
  })

  test('what leaves the selector is reported as deleted, as it last was in it; what enters it as added', async () => {
    await aMap('mover', { set: 'watch-3' })
    const { body } = await ask('GET', `${MAPS}?labelSelector=set%3Dwatch-3`)
    const version = field(body, 'metadata.resourceVersion')
    const watch = await door().watch(`${MAPS}?watch=true&labelSelector=set%3Dwatch-3&resourceVersion=${version}`)
    await ask('PATCH', `${MAPS}/mover`, { contentType: MERGE, body: { metadata: { labels: { set: 'elsewhere' } } } })
    await ask('PATCH', `${MAPS}/mover`, { contentType: MERGE, body: { metadata: { labels: { set: 'watch-3' } } } })
    assert.deepEqual(await within(watch, 2), ['DELETED mover', 'ADDED mover'])
    assert.equal(field(watch.events[0]?.object, 'metadata.labels.set'), 'watch-3')
  })

  test('an object that a finalizer holds is reported as changed, and as deleted when it goes', async () => {
    await ask('POST', MAPS, {
      body: { metadata: { name: 'lingers', labels: { set: 'watch-4' }, finalizers: ['test.local/hold'] } },
    })
    const { body } = await ask('GET', `${MAPS}?labelSelector=set%3Dwatch-4`)
    const version = field(body, 'metadata.resourceVersion')
    const watch = await door().watch(`${MAPS}?watch=true&labelSelector=set%3Dwatch-4&resourceVersion=${version}`)
    await ask('DELETE', `${MAPS}/lingers`)
    await ask('PATCH', `${MAPS}/lingers`, { contentType: MERGE, body: { metadata: { finalizers: null } } })
    assert.deepEqual(await within(watch, 2), ['MODIFIED lingers', 'DELETED lingers'])
  })

  const listWatch = (set: string, rest: string) => `${MAPS}?watch=true&labelSelector=set%3D${set}&${rest}`

  test('a watch that asks for the initial events gets a mark after the last of them, and goes on', async () => {
    await aMap('initial-a', { set: 'watch-5' })
    const { body } = await ask('GET', MAPS)
    for (const version of ['', '0', String(field(body, 'metadata.resourceVersion'))]) {
      const options = `sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=${version}`
      const watch = await door().watch(listWatch('watch-5', options))
      await eventually('the object and the bookmark', () => watch.events.length >= 2)
      assert.deepEqual(lines(watch), ['ADDED initial-a', 'BOOKMARK undefined'])
      const metadata = field(watch.events[1]?.object, 'metadata') as Readonly<Record<string, unknown>>
      assert.deepEqual(metadata.annotations, { 'k8s.io/initial-events-end': 'true' })
      assert.ok(Number(metadata.resourceVersion) >= Number(field(watch.events[0]?.object, 'metadata.resourceVersion')))
      await ask('PATCH', `${MAPS}/initial-a`, { contentType: MERGE, body: { data: { version: `after ${version}` } } })
      // Others write ConfigMaps as well, and bookmarks may tell of that before.
      const after = () =>
        lines(watch)
          .slice(2)
          .find((event) => event !== 'BOOKMARK undefined')
      await eventually('the change', () => after() !== undefined)
      watch.close()
      assert.equal(after(), 'MODIFIED initial-a')
    }
  })

  test('a watch that wants no initial events is told what comes from now on', async () => {
    await aMap('not-told', { set: 'watch-6' })
    const watch = await door().watch(listWatch('watch-6', 'sendInitialEvents=false&resourceVersionMatch=NotOlderThan'))
    await aMap('told', { set: 'watch-6' })
    assert.deepEqual(await within(watch, 1), ['ADDED told'])
  })

  test('options of a watch that contradict each other are invalid', async () => {
    const replies = await Promise.all(
      ['sendInitialEvents=true', 'resourceVersionMatch=NotOlderThan'].map((options) =>
        ask('GET', listWatch('watch-7', options)),
      ),
    )
    assert.deepEqual(
      replies.map(({ status, body }) => [status, field(body, 'message')]),
      [
        [422, refused('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')],
        [422, refused('resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided')],
      ],
    )
  })

  test('a watch ends by itself when its time is over', async () => {
    const watch = await door().watch(`${MAPS}?watch=true&timeoutSeconds=1&labelSelector=set%3Dnone`)
    await watch.ended
    assert.deepEqual(lines(watch), [])
  })
}

const refused = (why: string): string =>
  `ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: ${why}`
