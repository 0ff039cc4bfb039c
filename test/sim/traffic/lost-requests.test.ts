import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sample } from '../../../src/ground/model/probe.ts'
import type { AppBehaviour } from '../../../src/sim/plane/app-behaviour.ts'
import { Judge } from '../../../src/sim/traffic/judge.ts'
import { OpenLoopClient } from '../../../src/sim/traffic/open-loop-client.ts'
import { SerialCounter } from '../../../src/sim/traffic/serial-counter.ts'
import { addressOf, aPlane, GRACEFUL, IMMEDIATE, NODE_PORT, type Plane } from '../plane/a-plane.ts'
import { TARGET } from './a-target.ts'

const STARTED_AT = 1_700_000_000_000

/** A client that asks a node port without a balancer for ten seconds, then something happens, then ten seconds more. */
async function judged(app: AppBehaviour, happens: (plane: Plane) => Promise<void>) {
  const plane = aPlane(app)
  const { network, time } = plane
  const judge = new Judge()
  const samples: Sample[] = []
  const sink = (sample: Sample): void => {
    judge.record(sample)
    samples.push(sample)
  }
  const client = new OpenLoopClient({ target: TARGET, network, clock: time, timers: time, sink })
  const serial = new SerialCounter({
    network,
    clock: time,
    timers: time,
    to: { host: addressOf('n1'), port: NODE_PORT },
    path: '/',
    limitMs: 2_000,
    phases: 10,
  })
  client.start()
  serial.start()
  await time.advance(10_000)
  await happens(plane)
  await time.advance(10_000)
  client.stop(() => undefined)
  serial.stop()
  await time.advance(2_001)
  const lost = (lane: string): number => judge.lost.filter((request) => request.lane === lane).length
  return { judge, samples, serial, lost }
}

const ALL_BUT_P2 = ['p1', 'p3', 'p4', 'p5']

test('a pod that stops at once loses requests until every rule has changed', async () => {
  const { judge, lost, serial } = await judged(IMMEDIATE, async ({ pod, offer, time }) => {
    pod('p2').terminate()
    await time.advance(200)
    pod('p2').remove()
    await time.advance(1_000)
    offer(ALL_BUT_P2)
  })
  assert.equal(judge.sent, 2_121)
  const at = judge.lost.map((request) => request.at - STARTED_AT)
  assert.deepEqual([Math.min(...at), Math.max(...at)], [10_010, 11_120])
  // A fifth of 60 new connections. Of the kept ones only those that led to that pod are opened again, by the same rules.
  assert.deepEqual([lost('new'), lost('kept')], [12, 1])
  const whyOf = (from: number, to: number) =>
    new Set(judge.lost.filter((_, i) => (at[i] ?? 0) >= from && (at[i] ?? 0) < to).map(({ error }) => error))
  assert.deepEqual(whyOf(10_000, 10_200), new Set(['connect ECONNREFUSED']), 'the sandbox is still there')
  assert.deepEqual(whyOf(10_200, 11_200), new Set(['no full answer within 2000 ms']), 'it is gone')
  assert.equal(serial.meanFailed, 0.2, 'what a check once a second makes of it')
})

test('a pod that serves on for 3 s, out of the rules after 1 s, loses nothing', async () => {
  const { judge, serial } = await judged(GRACEFUL, async ({ pod, offer, time }) => {
    const exits: number[] = []
    pod('p2').onExit((code) => exits.push(code))
    pod('p2').terminate()
    await time.advance(1_000)
    offer(ALL_BUT_P2)
    await time.advance(2_001)
    assert.deepEqual(exits, [0])
    pod('p2').remove()
  })
  assert.equal(judge.sent, 2_301)
  assert.deepEqual(judge.lost, [])
  assert.equal(serial.meanFailed, 0)
  const lastAt = (judge.served.get('p2/n2')?.lastAt ?? 0) - STARTED_AT
  assert.ok(lastAt >= 10_500 && lastAt <= 11_400, `p2 served until ${lastAt}`)
})

test('a node that loses its power costs two seconds for each request that would have gone to its pods', async () => {
  const { samples, judge, lost } = await judged(GRACEFUL, async ({ plane, offer, time }) => {
    plane.setPower('n2', false)
    await time.advance(4_000)
    offer(['p1', 'p3', 'p4'])
  })
  const failed = samples.filter(({ verdict }) => verdict === 'failed')
  assert.ok(failed.every(({ latencyMs }) => Math.abs(latencyMs - 2_000) < 0.01))
  const whyOf = (lane: string) => new Set(judge.lost.filter((request) => request.lane === lane).map(({ why }) => why))
  assert.deepEqual(whyOf('new'), new Set(['connect']))
  assert.deepEqual(whyOf('kept'), new Set(['noResponse', 'connect']))
  // Two pods of five: two fifths of 200 new connections. A kept connection that hangs is busy meanwhile, so the others are asked.
  assert.deepEqual([lost('new'), lost('kept')], [82, 6])
})

test('a node that is asked itself and loses its power answers nothing at all', async () => {
  const { judge } = await judged(GRACEFUL, async ({ plane, time, offer }) => {
    plane.setPower('n1', false)
    await time.advance(4_000)
    plane.setPower('n1', true)
    offer(['p2', 'p3', 'p5'])
  })
  assert.equal(judge.failed, 400)
})

test('a kept connection stays with its pod although rules change, until the pod closes it', async () => {
  const { judge } = await judged(GRACEFUL, async ({ offer, time }) => {
    offer(['p3'])
    await time.advance(10_000)
    offer(ALL_BUT_P2)
  })
  assert.deepEqual(judge.lost, [])
  const lastAt = (judge.served.get('p2/n2')?.lastAt ?? 0) - STARTED_AT
  assert.ok(lastAt > 29_000, `p2, out of every rule since 10 s, is still asked at ${lastAt}`)
})

test('the same seed loses the same requests', async () => {
  const run = () =>
    judged(IMMEDIATE, async ({ pod, time, offer }) => {
      pod('p2').terminate()
      await time.advance(1_000)
      offer(ALL_BUT_P2)
    })
  const [first, second] = [await run(), await run()]
  assert.ok(first.judge.failed > 0)
  assert.deepEqual(first.judge.lost, second.judge.lost)
  assert.deepEqual(first.samples, second.samples)
})
