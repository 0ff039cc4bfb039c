import assert from 'node:assert/strict'
import { test } from 'node:test'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { FollowEvent, Kind, KindMap } from '../../../src/ground/ports/cluster.ts'
import { memoryRoll } from '../../support/memory-roll.ts'

test('a kind that may not be listed ends a roll after a minute, in the words of the refusal', async () => {
  const { cluster, clock, begin } = memoryRoll({ run: { resumed: true } })
  const follow = cluster.follow.bind(cluster)
  const refusal = new WorldError('list volumeattachments: forbidden (HTTP 403)', {
    code: 'KUBE_FORBIDDEN',
    retry: 'never',
  })
  cluster.follow = async <K extends Kind>(
    kind: K,
    sink: (event: FollowEvent<KindMap[K]>) => void,
    signal: AbortSignal,
  ) => {
    if (kind !== 'volumeattachments') return follow(kind, sink, signal)
    for (;;) {
      sink({ type: 'broken', error: refusal, retryInMs: 5000 })
      await clock.sleep(5000, signal)
    }
  }
  const running = assert.rejects(begin(), {
    name: 'WorldError',
    code: 'ROLL_FIRST_LIST',
    message:
      'the cluster could not be listed within 60 s, and nothing was done: list volumeattachments: forbidden (HTTP 403)',
  })
  await clock.advance(61_000)
  await running
})
