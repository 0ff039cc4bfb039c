import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiDoor } from './api-door.ts'
import { field } from './field.ts'

const MAPS = '/api/v1/namespaces/default/configmaps'

/** An API server that is killed and started again, on the same store. */
export function restartsContract(door: () => ApiDoor, restart: () => Promise<void>): void {
  const aMap = (name: string) => door().ask('POST', MAPS, { body: { metadata: { name } } })

  test('after a restart a watch from before the last write is told 410, and a new list shows what is gone', async () => {
    await aMap('gone')
    const before = field((await door().ask('GET', MAPS)).body, 'metadata.resourceVersion')
    await door().ask('DELETE', `${MAPS}/gone`)
    await aMap('made')
    await restart()
    const watch = await door().watch(`${MAPS}?watch=true&resourceVersion=${before}`)
    await watch.ended
    const [event] = watch.events
    assert.deepEqual(
      [watch.events.length, event?.type, field(event?.object, 'code'), field(event?.object, 'reason')],
      [1, 'ERROR', 410, 'Expired'],
    )
    assert.match(
      String(field(event?.object, 'message')),
      new RegExp(`^too old resource version: ${before} \\(\\d+\\)$`),
    )
    const names = field((await door().ask('GET', MAPS)).body, 'items') as readonly object[]
    assert.deepEqual(
      names.map((each) => field(each, 'metadata.name')).filter((name) => name === 'gone' || name === 'made'),
      ['made'],
    )
  })
}
