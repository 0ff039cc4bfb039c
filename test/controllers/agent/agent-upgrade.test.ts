import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { AgentPlace, answers } from '../../support/agent/agent-place.ts'

const CHECKERS = 4

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

test('one agent takes over from another under checks without end, none is refused, and each takeover cuts one at most', async (t) => {
  const place = await AgentPlace.of(t)
  const first = await place.agent()
  await answers(first, '200 OK')
  const seen = new Map<string, number>()
  const over = new AbortController()
  const checker = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const answer = await checked(first.port)
      seen.set(answer, (seen.get(answer) ?? 0) + 1)
    }
  }
  const checkers = Array.from({ length: CHECKERS }, checker)
  const second = await place.agent('--port', String(first.port))
  assert.equal(await first.kill('SIGTERM'), 0)
  const third = await place.agent('--port', String(first.port))
  assert.equal(await second.kill('SIGTERM'), 0)
  await answers(third, '200 OK')
  over.abort()
  await Promise.all(checkers)
  // The kernel resets whoever is just about to be accepted; a balancer asks more than once before it believes that.
  const { 'HTTP/1.1 200 OK': well = 0, 'read ECONNRESET': cut = 0, ...others } = Object.fromEntries(seen)
  assert.deepEqual(others, {})
  assert.ok(cut <= 2 && well > 200, JSON.stringify([...seen]))
})

test('an agent whose options are wrong ends with 2 and takes nothing from the one that answers', async (t) => {
  const place = await AgentPlace.of(t)
  const first = await place.agent()
  await answers(first, '200 OK')
  await assert.rejects(place.agent('--port', String(first.port), '--dialect', 'wrong'), /is none of plain/)
  assert.equal(await first.page('/nodecheck'), '200 OK')
})
