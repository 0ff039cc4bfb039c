import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { AgentPlace, answers } from '../../support/agent/agent-place.ts'

test('the addresses that ask are reported beside the answer, by HTTP and agent-check alike, and requests to the status port do not count', async (t) => {
  const place = await AgentPlace.of(t)
  const agent = await place.agent('--agent-check-port', '0')
  await answers(agent, '200 OK')
  await place.patch({ spec: { unschedulable: true } })
  await waitFor({ what: 'the cordon to be heard', limitMs: 10_000, everyMs: 5 }, async () =>
    (await agent.health()).answer === 'drain' ? true : undefined,
  )
  const before = (await agent.health()).polls
  assert.deepEqual(
    before.map(({ address, sinceAnswer }) => [address, sinceAnswer]),
    [['127.0.0.1', 0]],
  )
  assert.equal(await text(connect(agent.agentCheckPort, '127.0.0.1')), 'up drain\n')
  assert.equal(await agent.page('/nodecheck'), '503 Down')
  assert.equal(await agent.page('/nodecheck?dialect=disable-on-404'), '404 Drain')
  assert.equal(await agent.page('/'), '503 Down')
  // None of these asks whether to send traffic.
  for (const path of ['/nodename', '/healthz']) await agent.page(path)
  for (const path of ['/healthz', '/probers', '/nodecheck', '/metrics']) await agent.page(path, 'status')
  const [poll, ...others] = (await agent.health()).polls
  assert.deepEqual(others, [])
  assert.deepEqual(
    [poll?.address, poll?.sinceAnswer, (poll?.total ?? 0) - (before[0]?.total ?? 0), poll?.answer],
    ['127.0.0.1', 4, 4, 'drain'],
  )
  assert.ok((poll?.agoMs ?? -1) >= 0 && (poll?.agoMs ?? 60_000) < 60_000)
})

test('connections to the data port are reported, without those of the agent itself', async (t) => {
  const place = await AgentPlace.of(t)
  const app = createServer((socket) => socket.on('error', () => undefined).resume()).listen(0)
  await once(app, 'listening')
  t.after(() => app.close())
  const { port } = app.address() as AddressInfo
  const agent = await place.agent('--data-port', String(port), '--data-every', '100ms', '--rise', '1')
  await answers(agent, '200 OK')
  const seen: (number | 'unknown')[] = []
  const becomes = (count: number | 'unknown'): Promise<true> =>
    waitFor({ what: `${count} connections`, limitMs: 10_000, everyMs: 20, explain: () => `${seen}` }, async () => {
      const { connections } = await agent.health()
      seen.push(connections)
      return connections === count ? true : undefined
    })
  await becomes(0)
  const clients = [1, 2, 3].map(() => connect(port, '127.0.0.1'))
  await Promise.all(clients.map((client) => once(client, 'connect')))
  await becomes(3)
  for (const client of clients) client.destroy()
  await becomes(0)
  app.close()
  await becomes('unknown')
})

test('an agent that asks no data port knows of no connections', async (t) => {
  const place = await AgentPlace.of(t)
  const agent = await place.agent()
  assert.equal((await agent.health()).connections, 'unknown')
})
