import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { askAgent } from '../../../src/service/actuators/agent/io/ask-agent.ts'
import { agentAnswerOf } from '../../../src/service/actuators/agent/io/parse-agent-health.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { AgentPlace, answers, type RunningAgent } from '../../support/agent/agent-place.ts'
import {
  applyIngress,
  askWithoutEnd,
  deleteIngress,
  freePorts,
  pageAt,
  portAnswers,
} from '../../support/agent/ingress-on-place.ts'
import { LocalHaproxy } from '../../support/local-haproxy.ts'
import { requires } from '../../support/requires.ts'

const ingressesOf = async (agent: RunningAgent) =>
  (await agent.health()).ingress?.map(({ name, answer, ports }) => [name, answer, ports.map(({ open }) => open)])

test('each port of an IngressDaemonSet has its own answer, by the pods that are ready, the mark and the node', async (t) => {
  const place = await AgentPlace.of(t)
  const [web = 0, webNext = 0, api = 0] = await freePorts(3)
  await applyIngress(place, { ports: [web], ready: 1 })
  await applyIngress(place, { name: 'api', ports: [api], minReadyPods: 1, ready: 1 })
  const agent = await place.agent('--ingress')
  await answers(agent, '200 OK')
  await portAnswers(web, '503 Down')
  await portAnswers(api, '200 OK')
  assert.equal(await agent.page('/nodecheck'), '200 OK')
  assert.equal(await pageAt(web, '/nodename'), '200 Node: "n1"')
  // A second port, for a migration, is opened beside the first one.
  await applyIngress(place, { ports: [web, webNext], ready: 2 })
  await portAnswers(webNext, '200 OK')
  await portAnswers(web, '200 OK')
  await applyIngress(place, { ports: [webNext], ready: 2, isMarked: true })
  await portAnswers(web, 'refused')
  await portAnswers(webNext, '404 Drain', '/nodecheck?dialect=disable-on-404')
  await portAnswers(webNext, '200 Drain', '/nodecheck?dialect=f5')
  assert.equal(await pageAt(webNext, '/nodecheck?dialect=body'), '200 Down')
  assert.deepEqual(await ingressesOf(agent), [
    ['api', 'up', [true]],
    ['web', 'drain', [true]],
  ])
  const asked = await askAgent({ address: '127.0.0.1', port: agent.statusPort }, t.signal)
  assert.deepEqual('error' in asked ? asked : agentAnswerOf(asked.health).ingresses, [
    { namespace: 'default', name: 'api', isUp: true, ports: [api] },
    { namespace: 'default', name: 'web', isUp: false, ports: [webNext] },
  ])
  assert.match(
    await agent.page('/metrics', 'status'),
    /^evenkeel_agent_ingress_answer\{namespace="default",ingress="web",answer="drain"\} 1$/m,
  )
  await place.patch({ spec: { unschedulable: true } })
  await portAnswers(api, '503 Down')
  await place.patch({ spec: { unschedulable: false } })
  await portAnswers(api, '200 OK')
  await deleteIngress(place, 'api')
  await portAnswers(api, 'refused')
})

test('law: an API server that is away changes no answer of an agent, unless its options say so; at the ports of an IngressDaemonSet, over a restart of the agent and not over one of the machine', async (t) => {
  const place = await AgentPlace.of(t)
  const [web = 0, api = 0] = await freePorts(2)
  await applyIngress(place, { ports: [web] })
  await applyIngress(place, { name: 'api', ports: [api], isMarked: true })
  const first = await place.agent('--ingress')
  await portAnswers(web, '200 OK')
  await portAnswers(api, '503 Down')
  place.away()
  assert.equal(await pageAt(web), '200 OK')
  await waitFor({ what: 'the memory of the ports', limitMs: 5_000, everyMs: 10 }, () =>
    place.isRemembered('ingress', '"isMarked":true'),
  )
  await waitFor({ what: 'the memory of the node', limitMs: 5_000, everyMs: 10 }, () =>
    place.isRemembered('memory', '"answer":"up"'),
  )
  await first.kill('SIGKILL')
  const second = await place.agent('--ingress')
  await portAnswers(web, '200 OK')
  await portAnswers(api, '503 Down')
  assert.equal(await second.page('/readyz', 'status'), '503 no\n')
  await second.kill('SIGKILL')
  await rm(join(place.directory, 'run'), { recursive: true, force: true })
  const booted = await place.agent('--ingress')
  assert.deepEqual(
    [await pageAt(web), await pageAt(api), await booted.page('/nodecheck')],
    ['refused', 'refused', '503 Down'],
  )
  await place.back()
  await portAnswers(web, '200 OK')
  await waitFor({ what: 'the agent to be ready', limitMs: 5_000, everyMs: 10 }, async () =>
    (await booted.page('/readyz', 'status')) === '200 ok\n' ? true : undefined,
  )
})

test('a port that another program has is one trouble, and is taken once that program has ended', async (t) => {
  const place = await AgentPlace.of(t)
  const other = createServer((_request, response) => response.end('hello')).listen({
    port: 0,
    host: '127.0.0.1',
    reusePort: true,
  })
  t.after(() => other.close())
  await once(other, 'listening')
  const taken = (other.address() as AddressInfo).port
  const [free = 0] = await freePorts(1)
  const agent = await place.agent('--ingress')
  await applyIngress(place, { ports: [taken, free, agent.statusPort] })
  await portAnswers(free, '200 OK')
  await waitFor({ what: 'both troubles', limitMs: 5_000, everyMs: 10 }, async () =>
    (await agent.health()).trouble.length === 2 ? true : undefined,
  )
  const { trouble } = await agent.health()
  assert.match(
    trouble[0] ?? '',
    new RegExp(`^port ${agent.statusPort} of default/web is not served: it is a port of the agent$`),
  )
  assert.match(trouble[1] ?? '', new RegExp(`^port ${taken} is taken by \\S+ \\(pid ${process.pid}\\)$`))
  assert.equal(await pageAt(taken), '200 hello')
  other.close()
  other.closeAllConnections()
  await portAnswers(taken, '200 OK')
})

test(
  'a real HAProxy leaves the node by the health port of the IngressDaemonSet, and comes back',
  requires('haproxy'),
  async (t) => {
    const place = await AgentPlace.of(t)
    const [web = 0, api = 0] = await freePorts(2)
    await applyIngress(place, { ports: [web, api] })
    await place.agent('--ingress')
    await portAnswers(web, '200 OK')
    const backend = (name: string, port: number): string =>
      `backend ${name}
  option httpchk GET /nodecheck?dialect=disable-on-404
  http-check disable-on-404
  server n1 127.0.0.1:${port} check port ${port} inter 100ms fall 2 rise 1
`
    const haproxy = await LocalHaproxy.start(t, { sections: () => backend('web', web) + backend('api', api) })
    /** srv_op_state (management.txt 9.3): 0 down, 2 up, 3 stopping. */
    const becomes = (state: number): Promise<true> =>
      waitFor({ what: `servers in state ${state}`, limitMs: 10_000, everyMs: 20 }, async () => {
        const rows = (await haproxy.command('show servers state'))
          .split('\n')
          .filter((row) => row.split(' ')[3] === 'n1')
        return rows.length === 2 && rows.every((row) => Number(row.split(' ')[5]) === state) ? true : undefined
      })
    await becomes(2)
    await applyIngress(place, { ports: [web, api], isMarked: true })
    await becomes(3)
    await applyIngress(place, { ports: [web, api] })
    await becomes(2)
    await applyIngress(place, { ports: [web, api], ready: 1 })
    await becomes(0)
    await applyIngress(place, { ports: [web, api] })
    await becomes(2)
  },
)

test('while one agent takes over from another there is no moment without an answer at the port of an IngressDaemonSet', async (t) => {
  const place = await AgentPlace.of(t)
  const [web = 0, statusPort = 0] = await freePorts(2)
  await applyIngress(place, { ports: [web] })
  const status = ['--ingress', '--status-port', String(statusPort)]
  let last = await place.agent(...status)
  await portAnswers(web, '200 OK')
  const heard = askWithoutEnd(t, web)
  for (let upgrade = 0; upgrade < 2; upgrade += 1) {
    const next = await place.agent(...status, '--port', String(last.port))
    // Each of the two answers at the status port: twenty good answers in a row are not all of the old one.
    await waitFor({ what: 'the new agent to be ready', limitMs: 10_000, everyMs: 10 }, async () => {
      for (let ask = 0; ask < 20; ask += 1) if ((await next.page('/readyz', 'status')) !== '200 ok\n') return undefined
      return true
    })
    assert.equal(await last.kill('SIGTERM'), 0)
    last = next
  }
  const seen = await heard()
  const wrong = seen.filter((answer) => answer !== '200 OK')
  // A check that is about to be accepted by the one that ends is reset by the kernel; never two of one checker in a row.
  assert.ok(seen.every((answer, i) => answer === '200 OK' || seen[i - 1] === '200 OK'))
  assert.deepEqual(
    wrong.filter((answer) => answer !== 'refused'),
    [],
  )
  assert.ok(seen.length > 50 && wrong.length <= 2, `${wrong.length} of ${seen.length}`)
})
