import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AgentPlace, answers } from '../../support/agent/agent-place.ts'
import { AGENT_RIGHTS } from '../../support/agent-chart.ts'
import { covers, isGranted } from '../../support/requested-rights.ts'

test('an agent asks for nothing that is not granted, and for each right that it has', async (t) => {
  const place = await AgentPlace.of(t)
  const agent = await place.agent('--grants-namespace', 'evenkeel')
  await answers(agent, '200 OK')
  place.away()
  await place.back()
  await place.patch({ metadata: { annotations: { 'evenkeel.dev/maintenance': 'person/alice' } } })
  await answers(agent, '503 Down')
  const needed = [...place.needed]
  assert.deepEqual(
    needed.filter((right) => !isGranted(right, AGENT_RIGHTS)),
    [],
  )
  assert.deepEqual(
    AGENT_RIGHTS.filter((right) => !needed.some((one) => covers(right, one))),
    [],
  )
})
