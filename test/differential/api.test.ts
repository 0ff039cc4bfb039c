import assert from 'node:assert/strict'
import { test } from 'node:test'
import { embeddedPlane } from '../contract/doors/control-planes.ts'
import { ACCEPTED } from './api/accepted.ts'
import { drawSequence } from './api/draw.ts'
import { play } from './api/play.ts'
import { assertListed } from './listed.ts'

test('the page about the simulator has each difference of the API that is accepted, and no other', () => {
  assertListed({ page: 'internals/simulator.md', section: 'API and controllers' }, ACCEPTED)
})

test('a drawn sequence has an answer to each request, and is the same each time', async () => {
  for (const seed of [0, 1, 2, 3]) {
    const [once, again] = await Promise.all([played(seed), played(seed)])
    assert.deepEqual(again, once)
    assert.deepEqual(
      once?.filter((seen) => seen.kind === 'answer' && seen.code === 599),
      [],
    )
  }
})

async function played(seed: number) {
  const plane = embeddedPlane(`differential ${seed}`)
  try {
    return await play(plane, drawSequence(seed))
  } finally {
    await plane.close()
  }
}
