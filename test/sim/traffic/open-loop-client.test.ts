import assert from 'node:assert/strict'
import { test } from 'node:test'
import { present } from '../../../src/ground/model/present.ts'
import type { ProbeTarget, Sample } from '../../../src/ground/model/probe.ts'
import type { Listener, NetworkReply } from '../../../src/sim/network/network.ts'
import { OpenLoopClient } from '../../../src/sim/traffic/open-loop-client.ts'
import { aNetwork } from '../network/a-network.ts'
import { TARGET } from './a-target.ts'

/** A server of which it is said what becomes of each request, and how many connections it was asked for. */
function aServer(
  answer: (reply: (reply: NetworkReply) => void, close: () => void) => void,
  { repeats, ...target }: Partial<ProbeTarget> & { readonly repeats?: true },
) {
  const parts = aNetwork()
  const { network, time } = parts
  const accepted = { count: 0 }
  const listener: Listener = {
    accept: () => {
      accepted.count += 1
      let close = (): void => undefined
      return {
        request: (_request, reply) => answer(reply, () => close()),
        closed: () => undefined,
        bind: (closing) => {
          close = closing
        },
      }
    },
  }
  network.addHost('server')
  const endListening = network.listen({ host: 'server', port: 80 }, listener)
  const samples: Sample[] = []
  const sink = (sample: Sample): void => void samples.push(sample)
  const asked = { ...TARGET, url: 'http://server/', ...target }
  const client = new OpenLoopClient({
    target: asked,
    network,
    clock: time,
    timers: time,
    sink,
    ...present({ repeats }),
  })
  const run = async (ms: number): Promise<void> => {
    client.start()
    await time.advance(ms - 1)
    client.stop(() => undefined)
    await time.advance(3_000)
  }
  return { ...parts, client, samples, accepted, endListening, run }
}

const GOOD: NetworkReply = { status: 200, body: 'served by p1/n1\n' }

test('a hundred requests a second are six thousand a minute, half of them over eight connections', async () => {
  const { samples, accepted, run } = aServer((reply) => reply(GOOD), {})
  await run(60_000)
  assert.equal(samples.length, 6_000)
  assert.equal(samples.filter(({ lane }) => lane === 'kept').length, 3_000)
  assert.equal(accepted.count, 3_008)
  assert.ok(
    samples.every(({ verdict, servedBy, latencyMs }) => verdict === 'ok' && servedBy === 'p1/n1' && latencyMs < 2),
  )
})

test('answers that take long move no request: the schedule is absolute', async () => {
  const { samples, run, time } = aServer((reply) => time.later(1_900, () => reply(GOOD)), {})
  await run(10_000)
  const at = samples.map(({ scheduledAt }) => scheduledAt - 1_700_000_000_000).toSorted((a, b) => a - b)
  assert.deepEqual(at.slice(0, 3), [0, 10, 20])
  assert.deepEqual(at.at(-1), 9_990)
  assert.ok(samples.every(({ verdict, startedLateMs }) => verdict === 'ok' && startedLateMs === 0))
})

test('why a request failed is reported by the phase in which it did', async () => {
  const why = async (
    answer: Parameters<typeof aServer>[0],
    change: Partial<ProbeTarget> = {},
    before: (parts: ReturnType<typeof aServer>) => void = () => undefined,
  ) => {
    const server = aServer(answer, { ratePerSecond: 1, keptShare: 0, ...change })
    before(server)
    await server.run(2_500)
    const { failure, error, latencyMs } = server.samples.at(-1) ?? {}
    return `${failure}, ${error}, ${Math.floor(latencyMs ?? -1)} ms`
  }
  const good = (reply: (reply: NetworkReply) => void): void => reply(GOOD)
  assert.equal(await why(good, { url: 'http://nobody/' }), 'connect, no full answer within 2000 ms, 2000 ms')
  assert.equal(await why(good, {}, ({ endListening }) => endListening()), 'connect, connect ECONNREFUSED, 0 ms')
  assert.equal(await why(() => undefined), 'noResponse, no full answer within 2000 ms, 2000 ms')
  assert.equal(await why((_reply, close) => close()), 'reset, socket hang up (ECONNRESET), 0 ms')
  assert.equal(await why((reply) => reply({ status: 503, body: '' })), 'status, HTTP 503, 0 ms')
  assert.equal(
    await why((reply) => reply({ status: 200, body: 'hello' })),
    'content, the body does not contain the expected text, 0 ms',
  )
})

test('a kept connection that breaks under a request is stale; one that was closed before is opened again', async () => {
  let n = 0
  const { samples, run, accepted } = aServer(
    (reply, close) => {
      n += 1
      if (n === 3) return close()
      reply({ ...GOOD, closes: n === 5 })
      if (n === 5) close()
    },
    { ratePerSecond: 10, keptShare: 1, keptConnections: 1 },
  )
  await run(1_000)
  assert.deepEqual(
    samples.map(({ verdict, failure }) => failure ?? verdict),
    ['ok', 'ok', 'stale', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok', 'ok'],
  )
  assert.equal(accepted.count, 3)
})

test('a client that repeats sends it once more over a new connection, and is judged by that', async () => {
  const asked = (closed: readonly number[]) => {
    let n = 0
    return aServer(
      (reply, close) => {
        n += 1
        if (closed.includes(n)) close()
        else reply(GOOD)
      },
      { ratePerSecond: 10, keptShare: 1, keptConnections: 1, repeats: true },
    )
  }
  const once = asked([3])
  await once.run(500)
  assert.deepEqual(
    once.samples.map(({ verdict, retried }) => [verdict, retried]),
    [
      ['ok', undefined],
      ['ok', undefined],
      ['ok', true],
      ['ok', undefined],
      ['ok', undefined],
    ],
  )
  assert.equal(once.accepted.count, 2, 'the connection of the repeat is kept')
  const twice = asked([3, 4])
  await twice.run(500)
  assert.deepEqual(
    twice.samples.map(({ verdict, failure, retried }) => [failure ?? verdict, retried]),
    [
      ['ok', undefined],
      ['ok', undefined],
      ['reset', true],
      ['ok', undefined],
      ['ok', undefined],
    ],
  )
  const first = asked([1])
  await first.run(100)
  assert.deepEqual(
    first.samples.map(({ failure, retried }) => [failure, retried]),
    [['reset', undefined]],
  )
})

test('while every kept connection waits, a request gets one of its own', async () => {
  const { samples, run, accepted, time } = aServer((reply) => time.later(500, () => reply(GOOD)), {
    ratePerSecond: 10,
    keptShare: 1,
    keptConnections: 2,
  })
  await run(1_000)
  assert.ok(samples.every(({ verdict, latencyMs }) => verdict === 'ok' && latencyMs < 502))
  assert.equal(accepted.count, 8, 'ten requests of half a second: four over the two, six alone')
})
