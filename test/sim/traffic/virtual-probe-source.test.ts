import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProbeSignal } from '../../../src/ground/model/probe-signal.ts'
import { LedgerProbe } from '../../../src/roll/probe/ledger-probe.ts'
import { Judge } from '../../../src/sim/traffic/judge.ts'
import { VirtualProbeSource } from '../../../src/sim/traffic/virtual-probe-source.ts'
import { aPlane, IMMEDIATE } from '../plane/a-plane.ts'
import { TARGET } from './a-target.ts'

test('the ledger of a roll is fed in virtual time, and counts what a judge of its own counts', async () => {
  const { network, time, pod, offer } = aPlane(IMMEDIATE)
  const judge = new Judge()
  const targets = [TARGET]
  const source = new VirtualProbeSource({ targets, network, clock: time, timers: time, onSample: judge.record })
  const probe = new LedgerProbe({ targets, source, clock: time })
  const end = new AbortController()
  const ended = probe.run(() => undefined, end.signal)
  await time.advance(10_000)
  pod('p2').terminate()
  pod('p2').remove()
  await time.advance(1_000)
  offer(['p1', 'p3', 'p4', 'p5'])
  await time.advance(9_000)
  assert.ok(time.wallMs() - (probe.status().settledBefore ?? 0) <= 100)
  end.abort()
  await time.advance(2_100)
  await ended
  const { lanes, windows, notMeasured } = probe.status()
  const sum = (of: (lane: (typeof lanes)[number]) => number): number => lanes.reduce((all, lane) => all + of(lane), 0)
  assert.ok(judge.failed > 0)
  assert.equal(
    sum((lane) => lane.failed),
    judge.failed,
  )
  assert.equal(
    sum((lane) => lane.skipped),
    0,
  )
  assert.equal(
    windows.reduce((all, window) => all + window.failed, 0),
    judge.failed,
  )
  assert.deepEqual(notMeasured, [])
  assert.equal(
    Object.values(probe.ledger.servedBy()).reduce((all, count) => all + count, 0),
    judge.sent - judge.failed,
  )
  assert.equal(
    sum((lane) => lane.sent),
    judge.sent,
  )
})

test('a source tells when it began, beats ten times a second, and owes no verdict at its end', async () => {
  const { network, time, plane } = aPlane()
  const signals: ProbeSignal[] = []
  const end = new AbortController()
  const source = new VirtualProbeSource({ targets: [TARGET], network, clock: time, timers: time })
  const ended = source.run((signal) => signals.push(signal), end.signal)
  await time.advance(1_000)
  plane.setPower('n1', false)
  await time.advance(500)
  end.abort()
  await time.advance(2_100)
  await ended
  assert.deepEqual(signals[0], { type: 'started', at: 1_700_000_000_000 })
  const batches = signals.flatMap((signal) => (signal.type === 'batch' ? [signal] : []))
  const gaps = batches.slice(1).map(({ at }, i) => at - (batches[i]?.at ?? 0))
  assert.ok(gaps.every((gap) => gap <= 100.001))
  const samples = batches.flatMap((batch) => batch.samples)
  assert.equal(samples.filter(({ verdict }) => verdict === 'ok').length, 100)
  assert.equal(samples.filter(({ verdict }) => verdict === 'failed').length, 51)
  const late = batches.flatMap((batch, i) =>
    batches.slice(i + 1).flatMap((later) => later.samples.filter((sample) => sample.scheduledAt < batch.settledBefore)),
  )
  assert.deepEqual(late, [], 'no verdict comes on what was said to be settled')
})

test('a source that is ended before it began says nothing', async () => {
  const { network, time } = aPlane()
  const signals: ProbeSignal[] = []
  const source = new VirtualProbeSource({ targets: [TARGET], network, clock: time, timers: time })
  await source.run((signal) => signals.push(signal), AbortSignal.abort())
  assert.deepEqual(signals, [])
})
