import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DnsOutcome } from '../../../src/dns/model/dns.ts'
import type { DnsAsker, DnsQuery } from '../../../src/dns/ports/dns-asker.ts'
import { PacedAsker } from '../../../src/dns/run/paced-asker.ts'
import { Pacer } from '../../../src/ground/loop/pacer.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const never = new AbortController().signal
const AT = { address: '192.0.2.1', port: 53 }
const QUESTION = { name: 'id.server', type: 'TXT', class: 'CH' } as const
const QUERY: DnsQuery = { at: AT, question: QUESTION, over: 'udp', timeoutMs: 1_000 }

/** A server that says nothing, and when it was asked, in ms. */
class SilentServer implements DnsAsker {
  readonly askedAt: number[] = []
  readonly #clock: VirtualClock

  constructor(clock: VirtualClock) {
    this.#clock = clock
  }

  async ask({ timeoutMs }: Pick<DnsQuery, 'timeoutMs'>, signal: AbortSignal): Promise<DnsOutcome> {
    this.askedAt.push(this.#clock.monoMs())
    await this.#clock.sleep(timeoutMs, signal)
    return { kind: 'timeout' }
  }

  canary() {
    return {
      ask: (_: object, timeoutMs: number, signal: AbortSignal) => this.ask({ timeoutMs }, signal),
      close: () => undefined,
    }
  }
}

function paced(perSecond: number) {
  const clock = new VirtualClock()
  const server = new SilentServer(clock)
  const asker = new PacedAsker(server, new Pacer({ clock, random: new SeededRandom(1), perSecond }))
  return { clock, server, asker }
}

test('queries from new ports and from one port have one rate together', async () => {
  const { clock, server, asker } = paced(20)
  const canary = asker.canary(AT)
  const all = [1, 2, 3, 4, 5].flatMap(() => [asker.ask(QUERY, never), canary.ask(QUESTION, 1_000, never)])
  await clock.advance(99)
  assert.ok(server.askedAt.length <= 2, `${server.askedAt.length} within 100 ms`)
  await clock.advance(401)
  assert.equal(server.askedAt.length, 10)
  await clock.advance(1_000)
  assert.deepEqual(await Promise.all(all), Array(10).fill({ kind: 'timeout' }))
})

test('what a query waits for its turn is no part of its timeout', async () => {
  const { clock, server, asker } = paced(1)
  const all = Promise.all([asker.ask(QUERY, never), asker.ask(QUERY, never)])
  await clock.advance(5_000)
  assert.deepEqual(await all, [{ kind: 'timeout' }, { kind: 'timeout' }])
  assert.ok((server.askedAt[1] ?? 0) >= 1_000)
})

test('a query that is aborted while it waits for its turn is not sent', async () => {
  const { clock, server, asker } = paced(1)
  const stop = new AbortController()
  const reason = new Error('interrupted')
  const first = asker.ask(QUERY, never)
  const rejected = assert.rejects(asker.ask(QUERY, stop.signal), reason)
  await clock.advance(10)
  stop.abort(reason)
  await rejected
  await clock.advance(5_000)
  await first
  assert.equal(server.askedAt.length, 1)
  assert.equal(clock.sleeping(), 0)
})
