import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { AgentPlace, answers, type RunningAgent } from '../../support/agent/agent-place.ts'

test('law: an API server that is away changes no answer of an agent, unless its options say so; a cordon outlasts the API server and the agent, and its end is heard when the API server is back', async (t) => {
  const place = await AgentPlace.of(t)
  const first = await place.agent()
  await answers(first, '200 OK')
  assert.equal(await first.page('/nodename'), '200 Node: "n1"')
  await place.patch({ spec: { unschedulable: true } })
  await answers(first, '503 Down')
  place.away()
  assert.equal(await first.page('/nodecheck'), '503 Down')
  // What was heard is answered at once and written a moment later.
  await waitFor({ what: 'the cordon to be remembered', limitMs: 5_000, everyMs: 5 }, () => place.isRemembered())
  await first.kill('SIGKILL')
  const second = await place.agent()
  assert.equal(await second.page('/nodecheck'), '503 Down')
  assert.equal(await second.page('/readyz', 'status'), '503 no\n')
  assert.equal(await second.page('/livez', 'status'), '200 ok\n')
  await place.back()
  await place.patch({ spec: { unschedulable: false } })
  await answers(second, '200 OK')
  assert.equal(await second.page('/readyz', 'status'), '200 ok\n')
  assert.equal(await second.kill('SIGTERM'), 0)
})

test('a request is acknowledged on the status port, and by no page that load balancers ask for', async (t) => {
  const place = await AgentPlace.of(t)
  const agent = await place.agent('--dialect', 'disable-on-404')
  await answers(agent, '200 OK')
  const request = { version: 1, id: 'r-1', run: '20260101T000000Z-0001', at: '2026-01-01T00:00:00.000Z' }
  await place.patch({ metadata: { annotations: { 'evenkeel.dev/maintenance': JSON.stringify(request) } } })
  await answers(agent, '404 Drain')
  const acknowledged = async (): Promise<true | undefined> => {
    const { maintenance } = await agent.health()
    return maintenance.acknowledged.join() === 'r-1' ? true : undefined
  }
  await waitFor({ what: 'the request to be acknowledged', limitMs: 5_000, everyMs: 5 }, acknowledged)
  assert.equal(await agent.page('/healthz'), '404 there is no such page\n')
  assert.match(await agent.page('/metrics', 'status'), /^evenkeel_agent_answer\{answer="drain"\} 1$/m)
  assert.match(await agent.page('/probers', 'status'), /"address":"127\.0\.0\.1"/)
})

test('a request outlasts the machine, and nothing but the API server ends it', async (t) => {
  const place = await AgentPlace.of(t)
  const booted = async (): Promise<RunningAgent> => {
    await rm(join(place.directory, 'run'), { recursive: true, force: true })
    return place.agent()
  }
  const tells = (agent: RunningAgent, wanted: string): Promise<true> =>
    waitFor({ what: wanted, limitMs: 10_000, everyMs: 5 }, async () =>
      (await agent.health()).reasons.map(({ code }) => code).join() === wanted ? true : undefined,
    )
  const first = await place.agent()
  await answers(first, '200 OK')
  const request = { version: 1, id: 'r-1', run: '20260101T000000Z-0001', at: '2026-01-01T00:00:00.000Z' }
  await place.patch({ metadata: { annotations: { 'evenkeel.dev/maintenance': JSON.stringify(request) } } })
  await waitFor({ what: 'the request to be acknowledged', limitMs: 5_000, everyMs: 5 }, async () =>
    (await first.health()).maintenance.acknowledged.join() === 'r-1' ? true : undefined,
  )
  place.away()
  await first.kill('SIGKILL')
  for (let boot = 0; boot < 2; boot += 1) {
    const agent = await booted()
    assert.equal(await agent.page('/nodecheck'), '503 Down')
    await tells(agent, 'MaintenanceKept')
    assert.equal(await agent.page('/nodecheck'), '503 Down')
    await agent.kill('SIGKILL')
  }
  await place.back()
  const last = await booted()
  await tells(last, 'Maintenance')
  await place.patch({ metadata: { annotations: { 'evenkeel.dev/maintenance': null } } })
  await answers(last, '200 OK')
  await waitFor({ what: 'the request to be forgotten', limitMs: 5_000, everyMs: 5 }, async () =>
    existsSync(join(place.directory, 'lib', 'maintenance.json')) ? undefined : true,
  )
})

/** The claims of those owners, as the annotation has them; none: no annotation. */
const claimed = (...owners: readonly ('roll/run-1' | 'person/alice')[]) => ({
  metadata: {
    annotations: {
      'evenkeel.dev/maintenance':
        owners.length === 0
          ? null
          : JSON.stringify({ version: 2, claims: owners.map((owner) => ({ owner, id: owner.replace('/', '-') })) }),
    },
  },
})

test('law: no server is put back into service while the claim of another owner stands on its node; a node with two claims is back when the last one is withdrawn, in either order, though its agent is killed in between', async (t) => {
  for (const last of ['roll/run-1', 'person/alice'] as const) {
    const place = await AgentPlace.of(t)
    const acknowledged = (agent: RunningAgent, wanted: string): Promise<true> =>
      waitFor({ what: `${wanted} to be acknowledged`, limitMs: 10_000, everyMs: 5 }, async () =>
        (await agent.health()).maintenance.acknowledged.join(' ') === wanted ? true : undefined,
      )
    const first = await place.agent()
    await answers(first, '200 OK')
    await place.patch(claimed('person/alice', 'roll/run-1'))
    await acknowledged(first, 'person-alice roll-run-1')
    await first.kill('SIGKILL')
    // Withdrawn while no agent runs; and its memory went with a boot.
    await place.patch(claimed(last))
    await rm(join(place.directory, 'run'), { recursive: true, force: true })
    place.away()
    const second = await place.agent()
    assert.equal(await second.page('/nodecheck'), '503 Down')
    await place.back()
    await acknowledged(second, last.replace('/', '-'))
    assert.equal(await second.page('/nodecheck'), '503 Down')
    await second.kill('SIGKILL')
    const third = await place.agent()
    await acknowledged(third, last.replace('/', '-'))
    await place.patch(claimed())
    await answers(third, '200 OK')
  }
})

test('an agent that takes over in the middle of a maintenance keeps out what the release before it kept', async (t) => {
  const place = await AgentPlace.of(t)
  const kept = { version: 1, id: 'r-1', run: 'run-1', uid: 'uid-of-n1', resourceVersion: '1' }
  await mkdir(join(place.directory, 'lib'), { recursive: true })
  await writeFile(join(place.directory, 'lib', 'maintenance.json'), JSON.stringify(kept))
  place.away()
  const agent = await place.agent()
  assert.equal(await agent.page('/nodecheck'), '503 Down')
  const { answer, reasons, maintenance } = await agent.health()
  assert.deepEqual(
    [answer, reasons.map(({ code }) => code), maintenance.acknowledged],
    ['drain', ['MaintenanceKept'], ['r-1']],
  )
})

test('a fleet that is cordoned at once leaves as far as its brake lets it, and stays so without the API server', async (t) => {
  const place = await AgentPlace.of(t)
  await place.grants('{"version":1,"granted":[],"max":1,"of":2}')
  const agent = await place.agent('--grants-namespace', 'default')
  const tells = (wanted: string): Promise<true> => {
    const seen: { last?: string } = {}
    return waitFor({ what: wanted, limitMs: 10_000, everyMs: 5, explain: () => `${seen.last}` }, async () => {
      const { answer, reasons, brake } = await agent.health()
      seen.last = [answer, ...reasons.map(({ code }) => code), brake.state].join(' ')
      return seen.last === wanted ? true : undefined
    })
  }
  await tells('up InService withheld')
  await place.patch({ spec: { unschedulable: true } })
  await tells('up CordonNotGranted withheld')
  await place.grants('{"version":1,"granted":["n1"],"max":1,"of":2}')
  await tells('drain Cordoned granted')
  await place.grants('n1')
  await tells('drain Cordoned unknown')
  assert.deepEqual((await agent.health()).trouble, ['the ConfigMap of the granted cordons is malformed'])
  await place.grants('{"version":1,"granted":["n2"],"max":1,"of":2}')
  await tells('up CordonNotGranted withheld')
  place.away()
  assert.equal(await agent.page('/nodecheck'), '200 OK')
  await place.back()
  await place.grants(undefined)
  await tells('drain Cordoned none')
  assert.match(await agent.page('/metrics', 'status'), /^evenkeel_agent_brake\{state="none"\} 1$/m)
})

test('an agent of a node that the API server does not know says so and answers Down', async (t) => {
  const place = await AgentPlace.of(t)
  const agent = await place.agent('--node', 'n9')
  await answers(agent, '503 Down')
  const { reasons } = await agent.health()
  assert.deepEqual(reasons, [{ code: 'NodeGone', text: 'the API server has no Node of that name' }])
})
