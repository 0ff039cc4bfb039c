import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { freePort } from '../../../bin/demo/free-port.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { AgentPlace, answers } from '../../support/agent/agent-place.ts'

const CHECKERS = 4
const WELL = 'HTTP/1.1 200 OK'
/** Whether it was just connected or just about to be. */
const CUT = /^(read|connect) ECONNRESET/

/** One check as balancers make it, over a connection of its own: the first line, or what went wrong. */
async function checked(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1').setEncoding('utf8')
  let heard = ''
  socket.on('data', (chunk: string) => {
    heard += chunk
  })
  socket.write('GET /nodecheck HTTP/1.1\r\nHost: n1\r\n\r\n')
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
  // The kernel resets whoever is just about to be accepted; no balancer leaves a node for one such check.
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
  await assert.rejects(place.agent('--port', String(first.port), '--dialect', 'wrong'), /is none of plain/)
  assert.equal(await first.page('/nodecheck'), '200 OK')
})

test('an agent that knows nothing of before says nothing beside one that answers, and is not ready, until it would say OK', async (t) => {
  const place = await AgentPlace.of(t)
  const first = await place.agent()
  await answers(first, '200 OK')
  const over = new AbortController()
  t.after(() => over.abort())
  const checks = (async () => {
    const seen: string[] = []
    while (!over.signal.aborted) seen.push(await checked(first.port))
    return seen
  })()
  const statusPort = await freePort('127.0.0.1', undefined)
  const nothing = ['--memory-dir', `${place.directory}/other-run`, '--keep-dir', `${place.directory}/other-lib`]
  const at = ['--port', String(first.port), '--status-port', String(statusPort)]
  const starting = place.agent(...at, ...nothing, '--up-delay', '1s')
  const ready = async (): Promise<number> => (await fetch(`http://127.0.0.1:${statusPort}/readyz`)).status
  const told = await waitFor({ what: 'the second agent to begin', limitMs: 10_000, everyMs: 5 }, () =>
    ready().catch(() => undefined),
  )
  assert.equal(told, 503)
  const second = await starting
  assert.equal(await ready(), 200)
  assert.equal(await first.kill('SIGTERM'), 0)
  assert.equal(await second.page('/nodecheck'), '200 OK')
  over.abort()
  assert.deepEqual(
    (await checks).filter((answer) => answer !== WELL && !CUT.test(answer)),
    [],
  )
})

test('an agent that knows nothing of before says Down where nobody else answers', async (t) => {
  const place = await AgentPlace.of(t)
  const agent = await place.agent('--up-delay', '1m')
  assert.equal(await agent.page('/nodecheck'), '503 Down')
})
