import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { decode, encode } from 'dns-packet'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import { systemTimers as timers } from '../../../src/ground/machine/system-timers.ts'
import { DnsResolvers } from '../../../src/sim/loopback/dns-resolvers.ts'
import { LoopbackNet } from '../../../src/sim/loopback/loopback-net.ts'

const never = new AbortController().signal
const ADDRESS = '10.96.0.1'
/** More than a busy machine needs for an answer. */
const SLOW_MS = 300

/** A DNS server that answers each query so late, until it is silenced. */
async function slowServer(t: TestContext) {
  const net = await LoopbackNet.open()
  const at = { host: net.nodeAddress(1), port: await net.freePort(1053, [], 'both') }
  const server = createSocket('udp4')
  net.bindUdp(server, at)
  await once(server, 'listening')
  let isSilent = false
  server.on('message', async (bytes, from) => {
    await pause(SLOW_MS)
    if (isSilent) return
    const { id = 0, questions = [] } = decode(bytes)
    const name = questions[0]?.name ?? ''
    const answers = [{ type: 'A', name, ttl: 1, data: ADDRESS } as const]
    server.send(encode({ type: 'response', id, questions, answers }), from.port, from.address)
  })
  t.after(async () => {
    server.close()
    await net.close()
  })
  return {
    net,
    at,
    silence: () => {
      isSilent = true
    },
  }
}

test('what was sent before a moment is answered once it is settled, however late the answers come; what follows is lost', async (t) => {
  const { net, at, silence } = await slowServer(t)
  const queries = new DnsResolvers({
    ...{ net, clock, timers, random, at },
    ...{ name: 'kubernetes.default.svc.cluster.local', address: ADDRESS, perSecond: 50 },
  })
  t.after(() => queries.end())
  await pause(200)
  const brokenAtMs = clock.monoMs()
  await queries.settled(never, brokenAtMs)
  silence()
  await pause(100)
  await queries.stop(never)
  const before = queries.tally(0, brokenAtMs)
  assert.ok(before.sent >= 5, `${before.sent} were sent`)
  assert.equal(before.lost, 0)
  assert.ok(queries.tally(brokenAtMs).lost > 0)
})
