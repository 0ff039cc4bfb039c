import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { AgentPlace, answers } from '../../support/agent/agent-place.ts'

const run = promisify(execFile)

test('an agent whose disk does not answer begins, goes on, and says so', async (t) => {
  const place = await AgentPlace.of(t)
  await mkdir(join(place.directory, 'lib'))
  // A process that opens a FIFO for reading waits until another process opens it for writing (fifo(7)).
  await run('mkfifo', [join(place.directory, 'lib', 'override')])
  const agent = await place.agent()
  await answers(agent, '200 OK')
  const { trouble } = await agent.health()
  assert.deepEqual(
    trouble.filter((text) => text.includes('override')),
    ['override: the disk does not answer'],
  )
  await place.patch({ spec: { unschedulable: true } })
  await answers(agent, '503 Down')
  assert.equal(await agent.page('/livez', 'status'), '200 ok\n')
})
