import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GrantsReading } from '../../../src/agent/ports/grants-feed.ts'
import { BrakeWatch } from '../../../src/agent/run/brake-watch.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { FollowEvent } from '../../../src/ground/ports/cluster.ts'

const forbidden = new WorldError('configmaps is forbidden', { code: 'KUBE_FORBIDDEN', retry: 'never' })

/** A watch of n1 whose feed a test tells. */
function watching() {
  let tell: (event: FollowEvent<GrantsReading>) => void = () => undefined
  const warnings: string[] = []
  const changes: unknown[] = []
  const watch = new BrakeWatch({
    feed: {
      follow: (sink) => {
        tell = sink
        return new Promise(() => undefined)
      },
    },
    node: 'n1',
    log: { debug: () => undefined, warn: (text) => warnings.push(text) },
    onChange: (brake) => changes.push(brake),
  })
  void watch.run(new AbortController().signal)
  return { watch, warnings, changes, tell: (event: FollowEvent<GrantsReading>) => tell(event) }
}

test('a right that is missing is warned of once, however often the API server says so, and is no trouble once it is there', () => {
  const { watch, warnings, tell } = watching()
  for (let time = 0; time < 3; time += 1) tell({ type: 'broken', error: forbidden, retryInMs: 1000 })
  const text = 'it is not known which cordons are granted: configmaps is forbidden'
  assert.deepEqual([warnings, watch.trouble], [[text], [text]])
  tell({ type: 'listed', objects: [] })
  assert.deepEqual(watch.trouble, [])
  tell({ type: 'broken', error: forbidden, retryInMs: 1000 })
  assert.deepEqual(warnings, [text, text])
})

test('a connection that breaks changes nothing of what was told last', () => {
  const { changes, tell } = watching()
  tell({ type: 'listed', objects: [] })
  const gone = new WorldError('connect ECONNREFUSED', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
  tell({ type: 'broken', error: gone, retryInMs: 1000 })
  assert.deepEqual(changes, ['none'])
})

test('a watch that says that nothing has changed has said again what it said last', () => {
  const { changes, tell } = watching()
  tell({ type: 'fresh' })
  assert.deepEqual(changes, [])
  tell({ type: 'listed', objects: [{ grants: { version: 1, granted: ['n1'], max: 1, of: 3 } }] })
  tell({ type: 'fresh' })
  assert.deepEqual(changes, ['granted', 'granted'])
})
