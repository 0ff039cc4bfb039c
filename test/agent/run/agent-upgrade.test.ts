import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { freePort } from '../../../bin/demo/free-port.ts'
import { AgentPlace, answers } from '../../support/agent/agent-place.ts'

const CHECKERS = 4
const WELL = 'HTTP/1.1 200 OK'
/** Whether it was just connected or just about to be. */
const CUT = /^(read|connect) ECONNRESET/

/** One check as balancers make it, over a connection of its own: the first line, or what went wrong. */
async function checked(port: number, path = '/nodecheck'): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  let heard = ''
  socket.on('data', (chunk: string) => {
    heard += chunk
  })
  socket.write(`GET ${path} HTTP/1.1\r\nHost: n1\r\n\r\n`)
  try {
    await once(socket, 'close')
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  return heard.split('\r\n', 1)[0] ?? ''
}

test('one agent takes over from another under checks without end, none is refused, and none is cut twice in a row', async (t) => {
  const place = await AgentPlace.of(t)
  const first = await place.agent()
  await answers(first, '200 OK')
  const over = new AbortController()
  t.after(() => over.abort())
  const checker = async (): Promise<readonly string[]> => {
    const seen: string[] = []
    while (!over.signal.aborted) seen.push(await checked(first.port))
    return seen
  }
  const checkers = Array.from({ length: CHECKERS }, checker)
  const second = await place.agent('--port', String(first.port))
  assert.equal(await first.kill('SIGTERM'), 0)
  const third = await place.agent('--port', String(first.port))
  assert.equal(await second.kill('SIGTERM'), 0)
  await answers(third, '200 OK')
  over.abort()
  const seen = await Promise.all(checkers)
  // The kernel resets a connection that is just about to be accepted; no balancer leaves a node for one such check.
  const wrong = seen.flat().filter((answer) => answer !== WELL && !CUT.test(answer))
  assert.deepEqual(wrong, [])
  const twice = seen.filter((answers) =>
    answers.some((answer, i) => CUT.test(answer) && CUT.test(answers[i - 1] ?? '')),
  )
  assert.deepEqual(twice, [])
  assert.ok(seen.flat().filter((answer) => answer === WELL).length > 200)
})

test('an agent whose options are wrong ends with 2 and takes nothing from the one that answers', async (t) => {
  const place = await AgentPlace.of(t)
  const first = await place.agent()
  await answers(first, '200 OK')
  await assert.rejects(place.agent('--port', String(first.port), '--dialect', 'wrong'), /must be plain/)
  assert.equal(await first.page('/nodecheck'), '200 OK')
})

test('no port is shared with a process that is no agent of the node, even if that process would share it', async (t) => {
  const place = await AgentPlace.of(t)
  const at = { port: 0, host: '127.0.0.1', reusePort: true }
  const web = createServer((_request, response) => response.end('hello')).listen(at)
  const raw = createTcpServer((socket) => socket.end('220 welcome\n')).listen(at)
  t.after(() => Promise.all([web.close(), raw.close()]))
  await Promise.all([once(web, 'listening'), once(raw, 'listening')])
  const [webPort, rawPort] = [web, raw].map((server) => String((server.address() as AddressInfo).port))
  for (const words of [
    ['--port', webPort],
    ['--status-port', webPort],
    ['--port', rawPort],
    ['--agent-check-port', rawPort],
  ] as const) {
    const [flag, port = ''] = words
    const said = new RegExp(`port ${port} is taken by \\S+ \\(pid ${process.pid}\\)`)
    await assert.rejects(place.agent(flag, port), said, flag)
  }
  const silent = ['--agent-check-port', webPort ?? '', '--takeover-limit', '500ms']
  await assert.rejects(place.agent(...silent), /the agent ended with 1: .*does not answer as an agent/)
})

test('an agent of another node is no agent of this node', async (t) => {
  const place = await AgentPlace.of(t)
  const first = await place.agent()
  await answers(first, '200 OK')
  await assert.rejects(place.agent('--node', 'n2', '--port', String(first.port)), /is taken by/)
})

/** An agent, and the words that start a second one of that node which finds nothing to remember. */
async function besideOne(t: TestContext) {
  const place = await AgentPlace.of(t)
  const statusPort = await freePort('127.0.0.1', undefined)
  const first = await place.agent('--status-port', String(statusPort))
  await answers(first, '200 OK')
  const ports = ['--port', String(first.port), '--status-port', String(statusPort)]
  const nothing = ['--memory-dir', `${place.directory}/other-run`, '--keep-dir', `${place.directory}/other-lib`]
  const over = new AbortController()
  t.after(() => over.abort())
  const asked = async (ask: () => Promise<string>): Promise<readonly string[]> => {
    const seen: string[] = []
    while (!over.signal.aborted) seen.push(await ask())
    return seen.filter((answer) => !CUT.test(answer))
  }
  const all = [asked(() => checked(first.port)), asked(() => checked(statusPort, '/readyz'))]
  /** What was said to checks and to the kubelet since, each once. */
  const said = async () => {
    over.abort()
    const [toChecks = [], toKubelet = []] = await Promise.all(all)
    return { toChecks: [...new Set(toChecks)], toKubelet: [...new Set(toKubelet)] }
  }
  return { place, first, second: [...ports, ...nothing], said }
}

test('an agent that knows nothing of before says nothing beside one that answers, until it would say OK', async (t) => {
  const { place, first, second, said } = await besideOne(t)
  const begunAt = performance.now()
  const next = await place.agent(...second, '--up-delay', '1s')
  assert.ok(performance.now() - begunAt > 1_000)
  assert.equal(await first.kill('SIGTERM'), 0)
  assert.equal(await next.page('/nodecheck'), '200 OK')
  assert.deepEqual(await said(), { toChecks: [WELL], toKubelet: [WELL] })
})

test('an agent that hears nothing of its node ends, and spoils no answer of the one beside it', async (t) => {
  const { place, first, second, said } = await besideOne(t)
  place.away()
  await assert.rejects(place.agent(...second, '--takeover-limit', '500ms'), /the agent ended/)
  assert.equal(await first.page('/nodecheck'), '200 OK')
  assert.deepEqual(await said(), { toChecks: [WELL], toKubelet: [WELL] })
})

test('an agent that was given a port where nothing answers ends, and the one beside it goes on to say OK', async (t) => {
  const web = createServer((_request, response) => response.end('hello')).listen({ port: 0, host: '127.0.0.1' })
  t.after(() => web.close())
  await once(web, 'listening')
  const dataPort = String((web.address() as AddressInfo).port)
  // tcpmux: no test listens there, while a free port can be taken by another test during these ten seconds.
  const nowhere = '1'
  const place = await AgentPlace.of(t)
  const statusPort = String(await freePort('127.0.0.1', undefined))
  // It asks every 2 s: three answers that come too late on a busy machine would make it say Down, and then the second may take over.
  const first = await place.agent('--status-port', statusPort, '--data-port', dataPort, '--rise', '1')
  await answers(first, '200 OK')
  // It remembers as well as the first one that the data port was open.
  const asks = ['--data-every', '100ms', '--fall', '3', '--rise', '2']
  const ports = ['--port', String(first.port), '--status-port', statusPort, ...asks]
  const limit = ['--takeover-limit', '10s']
  const ended = /the agent ended with 1: .*nothing answers at the data port of the node/
  await assert.rejects(place.agent(...ports, ...limit, '--data-port', nowhere), ended)
  assert.equal(await first.page('/nodecheck'), '200 OK')
  const second = await place.agent(...ports, '--data-port', dataPort)
  assert.equal(await first.kill('SIGTERM'), 0)
  await answers(second, '200 OK')
})

test('an agent that knows nothing of before says Down where no other agent answers', async (t) => {
  const place = await AgentPlace.of(t)
  const agent = await place.agent('--up-delay', '1m')
  assert.equal(await agent.page('/nodecheck'), '503 Down')
})
