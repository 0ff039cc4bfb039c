import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OVER } from '../../../../src/ground/model/over.ts'
import { wallMs } from '../../../../src/ground/model/time.ts'
import { metered, RollMeter } from '../../../../src/roll/cli/screen/roll-meter.ts'
import { memoryContext } from '../../../cli/memory-context.ts'
import { VirtualClock } from '../../../support/virtual-clock.ts'
import { ended, evenkeel, ScriptedActions } from '../scripted-roll.ts'
import { heldStory, RUN } from './roll-story.ts'

test('metrics go where the options say, and the last ones have the exit code', async () => {
  for (const command of ['roll -f roll.yaml --yes', `roll resume ${RUN}`, 'roll abort']) {
    const actions = new ScriptedActions(ended('completed', 0))
    const { code, err } = await evenkeel(`${command} --metrics-port 9153 --metrics-file roll.prom`, actions)
    assert.equal(code, 0)
    assert.match(err, /^metrics: http:\/\/127\.0\.0\.1:9153\/metrics\n/)
    const [opened, ...more] = actions.metrics
    assert.deepEqual([opened?.place, more], [{ at: { host: '127.0.0.1', port: 9_153 }, file: 'roll.prom' }, []])
    assert.match(opened?.texts.at(-1) ?? '', /^evenkeel_roll_exit_code 0$/m)
  }
})

test('an IPv6 address is written as in a URL, and a file alone opens no port', async () => {
  const actions = new ScriptedActions(ended('completed', 0))
  const { err } = await evenkeel('roll -f roll.yaml -y --metrics-port 9153 --metrics-address ::1', actions)
  assert.match(err, /^metrics: http:\/\/\[::1\]:9153\/metrics\n/)
  await evenkeel('roll -f roll.yaml -y --metrics-file roll.prom', actions)
  assert.deepEqual(
    actions.metrics.map(({ place }) => place),
    [{ at: { host: '::1', port: 9_153 } }, { file: 'roll.prom' }],
  )
})

const SAMPLE = {
  control: false,
  lane: 'new',
  scheduledAt: wallMs(0),
  startedLateMs: 0,
  verdict: 'ok',
  latencyMs: 1,
} as const

test('sent requests are counted by target after the baseline, without controls and without what was never sent', () => {
  const [started, baselineEnded] = heldStory().events
  assert.ok(started?.type === 'roll.started' && baselineEnded?.type === 'baseline.ended')
  const requestLines = (meter: RollMeter) =>
    meter
      .text()
      .split('\n')
      .filter((line) => line.startsWith('evenkeel_roll_target_requests'))
  const meter = new RollMeter({ clock: new VirtualClock() })
  meter.note(started)
  meter.count([{ ...SAMPLE, target: 'shop' }])
  assert.deepEqual(requestLines(meter), [])
  meter.note(baselineEnded)
  meter.count([
    { ...SAMPLE, target: 'shop' },
    { ...SAMPLE, target: 'shop', verdict: 'failed', failure: 'connect' },
    { ...SAMPLE, target: 'shop', verdict: 'skipped' },
    { ...SAMPLE, target: 'api' },
    { ...SAMPLE, target: 'outside', control: true },
  ])
  assert.deepEqual(requestLines(meter), [
    'evenkeel_roll_target_requests_total{target="shop"} 2',
    'evenkeel_roll_target_requests_total{target="api"} 1',
    'evenkeel_roll_target_requests_failed_total{target="shop"} 0',
    'evenkeel_roll_target_requests_failed_total{target="api"} 0',
  ])
  const resumed = new RollMeter({ clock: new VirtualClock(), before: heldStory().events })
  resumed.note({ ...started, resumed: true })
  resumed.count([{ ...SAMPLE, target: 'shop' }])
  resumed.note(baselineEnded)
  assert.match(resumed.text(), /^evenkeel_roll_target_requests_total\{target="shop"\} 1$/m)
})

test('a roll that never begins leaves what an earlier one has written', async () => {
  const clock = new VirtualClock()
  const meter = new RollMeter({ clock })
  const stop = new AbortController()
  const texts: string[] = []
  const writing = meter.keepWriting(async (text) => void texts.push(text), stop.signal)
  await clock.advance(120_000)
  assert.deepEqual([texts, meter.hasBegun()], [[], false])
  stop.abort(OVER)
  await assert.rejects(writing, OVER)
})

test('a file system that hangs keeps the process for two seconds at its end, and no longer', async () => {
  const { context } = memoryContext()
  const actions = { openMetrics: async () => ({ write: () => new Promise<void>(() => undefined) }) }
  const code = metered({ metricsFile: 'roll.prom' }, { context, actions }, async (meter) => {
    for (const event of heldStory().events) meter?.note(event)
    return 3
  })
  await context.clock.advance(2_000)
  assert.equal(await code, 3)
  assert.match(context.err.text, /warning: metrics are not written any more: .*did not answer within 2000 ms/)
})

test('a dry run has no metrics, and prints the command that has them', async () => {
  const actions = new ScriptedActions(ended('completed', 0))
  const { out } = await evenkeel('roll -f roll.yaml --dry-run --metrics-port 9153 --metrics-file roll.prom', actions)
  assert.deepEqual(actions.metrics, [])
  assert.match(out.replaceAll(/\s+/g, ' '), /evenkeel roll -f roll\.yaml --metrics-port 9153 --metrics-file roll\.prom/)
})

test('the file is written a second after a change, once for many changes, and every 15 s without one', async () => {
  const clock = new VirtualClock('2026-11-21T06:20:00.000Z')
  const meter = new RollMeter({ clock })
  const stop = new AbortController()
  const texts: string[] = []
  const writing = meter.keepWriting(async (text) => void texts.push(text), stop.signal)
  await clock.advance(1_000)
  assert.equal(texts.length, 0)
  for (const event of heldStory().events) meter.note(event)
  await clock.advance(1_000)
  assert.equal(texts.length, 1)
  await clock.advance(14_000)
  assert.equal(texts.length, 1)
  await clock.advance(2_000)
  assert.equal(texts.length, 2)
  assert.match(texts[1] ?? '', /^evenkeel_roll_updated_timestamp_seconds 17952420\d\d\b/m)
  stop.abort(OVER)
  await assert.rejects(writing, OVER)
})
