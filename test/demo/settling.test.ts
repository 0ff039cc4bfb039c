import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodePortsAnswer } from '../../bin/demo/settling.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { PORT, realPlane } from '../sim/loopback/real-plane.ts'

test('a node port whose pod takes the request and says nothing has no answer within a second or so', async (t) => {
  const { address, plane, pod, lead } = await realPlane(t)
  const entries = [1, 2].map((node) => ({ host: address(node), port: PORT }))
  const [quick, slow] = [pod('quick', 1), pod('slow', 2, { answerMs: 3_000 })]
  lead(1, [quick])
  lead(2, [quick])
  await waitFor(
    { what: 'two answers', limitMs: 5_000 },
    async () => (await nodePortsAnswer(plane, entries)) || undefined,
  )
  lead(2, [slow])
  assert.equal(await nodePortsAnswer(plane, entries), false)
})
