import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsOf, NO_COUNTS, type RollCounts, rollMetrics } from '../../../../src/roll/cli/screen/roll-metrics.ts'
import type { RollEvent, StampedEvent } from '../../../../src/roll/model/roll-event.ts'
import { reduceRoll } from '../../../../src/roll/report/view/reduce-roll.ts'
import { emptyRollView, type RollView } from '../../../../src/roll/report/view/roll-view.ts'
import { at, budget, failure, heldStory, load, NODES, RUN, Story, standing, untouched } from './roll-story.ts'

/** Every page of a story, one for each event, with its series alone: name with labels → value. */
function pagesOf(events: readonly StampedEvent[]): readonly Readonly<Record<string, number>>[] {
  let view: RollView = emptyRollView
  let counts: RollCounts = NO_COUNTS
  return events.map((event) => {
    view = reduceRoll(view, event)
    counts = countsOf(view, counts)
    return seriesOf(rollMetrics(view, counts, { at: Date.parse(event.at), updatedAt: Date.parse(event.at) }))
  })
}

const seriesOf = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )

const lastPage = (story: Story): Readonly<Record<string, number>> => pagesOf(story.events).at(-1) ?? {}

test('a roll that is held says which node, which step, for how long and why', () => {
  assert.deepEqual(lastPage(heldStory()), {
    [`evenkeel_roll_info{run="${RUN}",roll="prod-eu1"}`]: 1,
    evenkeel_roll_start_timestamp_seconds: at('06:14:39') / 1_000,
    evenkeel_roll_updated_timestamp_seconds: at('06:19:59') / 1_000,
    evenkeel_roll_nodes: 8,
    evenkeel_roll_nodes_done: 1,
    evenkeel_roll_nodes_failed: 0,
    'evenkeel_roll_step_seconds{node="w-2",step="drain"}': 72,
    evenkeel_roll_holding: 1,
    'evenkeel_roll_hold_seconds{node="w-2",step="drain"}': 46,
    'evenkeel_roll_hold_reason{reason="BudgetExhausted"}': 1,
    evenkeel_roll_requests_total: 32_000,
    evenkeel_roll_requests_failed_total: 0,
    evenkeel_roll_requests_retried_total: 0,
    evenkeel_roll_requests_skipped_total: 0,
    evenkeel_roll_strays_total: 0,
    evenkeel_roll_latency_p99_seconds: 0.0124,
    evenkeel_roll_latency_baseline_p99_seconds: 0.0112,
  })
})

const ROWS: readonly {
  readonly title: string
  readonly events: readonly RollEvent[]
  /** Undefined: there is no such series. */
  readonly series: Readonly<Record<string, number | undefined>>
}[] = [
  {
    title: 'a reason that two objects have is one series',
    events: [
      { type: 'hold.changed', node: 'w-2', step: 'drain', reasons: [budget, { ...budget, object: 'shop/cart-1' }] },
    ],
    series: { 'evenkeel_roll_hold_reason{reason="BudgetExhausted"}': 1, evenkeel_roll_holding: 1 },
  },
  {
    title: 'a hold that is over has no series any more',
    events: [{ type: 'hold.ended', node: 'w-2', step: 'drain' }],
    series: {
      evenkeel_roll_holding: 0,
      'evenkeel_roll_hold_seconds{node="w-2",step="drain"}': undefined,
      'evenkeel_roll_hold_reason{reason="BudgetExhausted"}': undefined,
    },
  },
  {
    title: 'the node that ended is no label any more',
    events: [{ type: 'node.ended', standing: standing('w-2') }],
    series: { evenkeel_roll_nodes_done: 2, 'evenkeel_roll_step_seconds{node="w-2",step="drain"}': undefined },
  },
  {
    title: 'a node that is put back without its reboot failed',
    events: [{ type: 'node.ended', standing: standing('w-2', { state: 'restored' }) }],
    series: { evenkeel_roll_nodes_done: 1, evenkeel_roll_nodes_failed: 1 },
  },
  {
    title: 'failed requests are counted by target',
    events: [
      { type: 'window.closed', window: failure, blame: [] },
      { type: 'load.tick', load: load(40_000, 6) },
    ],
    series: {
      evenkeel_roll_requests_failed_total: 6,
      'evenkeel_roll_target_requests_failed_total{target="shop"}': 6,
    },
  },
  {
    title: 'each stray counts',
    events: [
      { type: 'stray', node: 'w-2', server: 'edge/web/w-2', count: 2 },
      { type: 'stray', node: 'w-2', server: 'edge/web/w-2', count: 1 },
    ],
    series: { evenkeel_roll_strays_total: 3 },
  },
  {
    title: 'a roll that ended has an outcome and an exit code, and no step',
    events: [
      {
        type: 'roll.ended',
        outcome: 'held',
        exitCode: 3,
        reasons: [],
        standings: NODES.map((node) => (node === 'w-1' ? standing(node) : untouched(node))),
        next: [],
      },
    ],
    series: {
      evenkeel_roll_exit_code: 3,
      'evenkeel_roll_outcome{outcome="held"}': 1,
      'evenkeel_roll_outcome{outcome="completed"}': 0,
      evenkeel_roll_nodes_done: 1,
      evenkeel_roll_nodes_failed: 0,
      evenkeel_roll_holding: 0,
      'evenkeel_roll_step_seconds{node="w-2",step="drain"}': undefined,
    },
  },
  {
    title: 'a run that is resumed has no exit code and no step until it works again',
    events: [
      { type: 'roll.ended', outcome: 'held', exitCode: 3, reasons: [], standings: [], next: [] },
      { type: 'roll.started', run: RUN, cluster: 'prod-eu1', nodes: NODES, resumed: true, context: 'eu"1\\\n' },
    ],
    series: {
      [`evenkeel_roll_info{run="${RUN}",roll="prod-eu1",context="eu\\"1\\\\\\n"}`]: 1,
      evenkeel_roll_exit_code: undefined,
      evenkeel_roll_nodes_done: 1,
      'evenkeel_roll_step_seconds{node="w-2",step="drain"}': undefined,
      evenkeel_roll_requests_total: 32_000,
    },
  },
]

for (const { title, events, series } of ROWS)
  test(title, () => {
    const story = heldStory()
    for (const event of events) story.add('06:20:10', event)
    const page = lastPage(story)
    assert.deepEqual(Object.fromEntries(Object.keys(series).map((key) => [key, page[key]])), series)
  })

test('requests of the baseline do not count, and no counter ever goes down', () => {
  const story = new Story()
    .add('06:14:39', { type: 'roll.started', run: RUN, cluster: 'it', nodes: ['w-1'], resumed: false })
    .add('06:14:48', { type: 'load.tick', load: { ...load(900, 2), inBaseline: true } })
    .add('06:14:50', { type: 'load.tick', load: load(100, 5) })
    .add('06:14:50', { type: 'window.opened', window: failure, blame: [] })
    .add('06:14:51', { type: 'load.tick', load: { ...load(200, 0), excused: 5 } })
    .add('06:14:51', { type: 'window.closed', window: { ...failure, excused: 6 }, blame: [], excused: true })
  const pages = pagesOf(story.events)
  const of = (name: string) => pages.map((page) => page[name])
  assert.deepEqual(of('evenkeel_roll_requests_total'), [undefined, 0, 100, 100, 200, 200])
  assert.deepEqual(of('evenkeel_roll_requests_failed_total'), [undefined, 0, 5, 5, 5, 5])
  assert.deepEqual(of('evenkeel_roll_target_requests_failed_total{target="shop"}').slice(3), [6, 6, 6])
})

test('each family has its help and its type once, and counters end in _total', () => {
  const lines = rollMetrics(emptyRollView, NO_COUNTS, { at: 0, updatedAt: 0 }).split('\n')
  const helped = lines.flatMap((line) => /^# HELP (\S+) [A-Z].+\.$/.exec(line)?.[1] ?? [])
  const typed = lines.flatMap((line) => /^# TYPE (\S+) (gauge|counter)$/.exec(line)?.slice(1, 3) ?? [])
  assert.ok(helped.length > 15)
  assert.equal(new Set(helped).size, helped.length)
  assert.deepEqual(
    typed.filter((_, i) => i % 2 === 0),
    helped,
  )
  for (const [i, name] of helped.entries()) assert.equal(name.endsWith('_total'), typed[i * 2 + 1] === 'counter', name)
})
