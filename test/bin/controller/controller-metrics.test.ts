import assert from 'node:assert/strict'
import { test } from 'node:test'
import { controllerMetrics } from '../../../bin/controller/controller-metrics.ts'
import type { ControllerStatus } from '../../../bin/controller/controller-status.ts'

const LOOP = { name: 'brake', passes: 7, failures: 2, spentMs: 3_500, lastPassMs: 1, depth: 3, underWay: 1 }
const LEADING: ControllerStatus = {
  identity: 'controller-1',
  leader: { state: 'leading', holder: 'controller-1', triedAgoMs: 10 },
  brake: {
    loop: LOOP,
    nodes: { known: 9, cordoned: 4, synced: true, unheardForMs: 1_500 },
    grants: { version: 1, granted: ['n1', 'n2'], max: 5, of: 9 },
    out: [],
    decision: 'act',
    reasons: [
      { code: 'CordonNotGranted', text: 'n3 waits' },
      { code: 'CordonNotGranted', text: 'n4 waits' },
      { code: 'FewerWait', text: 'of another kind' },
    ],
  },
}
const { grants: _, ...withoutGrants } = LEADING.brake

/** Name with labels → value. */
const samples = (view: ControllerStatus): Record<string, number> =>
  Object.fromEntries(
    controllerMetrics(view)
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )

test('the leader tells Prometheus what its brake grants, and who waits', () => {
  assert.deepEqual(samples(LEADING), {
    evenkeel_controller_leader: 1,
    'evenkeel_controller_queue_depth{loop="brake"}': 3,
    'evenkeel_controller_queue_under_way{loop="brake"}': 1,
    'evenkeel_controller_pass_failures_total{loop="brake"}': 2,
    'evenkeel_controller_pass_seconds_sum{loop="brake"}': 3.5,
    'evenkeel_controller_pass_seconds_count{loop="brake"}': 7,
    evenkeel_controller_brake_nodes: 9,
    evenkeel_controller_brake_cordoned: 4,
    evenkeel_controller_brake_nodes_unheard_seconds: 1.5,
    evenkeel_controller_brake_granted: 2,
    evenkeel_controller_brake_max: 5,
    evenkeel_controller_brake_waiting: 2,
  })
})

test('each loop that runs beside the brake has its line in each family', () => {
  const ingress = { ...LOOP, name: 'ingress', depth: 5 }
  const guard = { ...LOOP, name: 'guard', depth: 6 }
  const series = samples({ ...LEADING, ingress, guard })
  assert.deepEqual(
    ['brake', 'ingress', 'guard'].map((name) => series[`evenkeel_controller_queue_depth{loop="${name}"}`]),
    [3, 5, 6],
  )
})

test('a process that does not lead says so, and says nothing of grants', () => {
  const standby = { ...LEADING, leader: { ...LEADING.leader, state: 'standby' as const }, brake: withoutGrants }
  const names = Object.keys(samples(standby))
  assert.equal(samples(standby).evenkeel_controller_leader, 0)
  assert.ok(!names.some((name) => /brake_(granted|max|waiting)/.test(name)), names.join(' '))
})

test('each sample has its help and its type before it', () => {
  const lines = controllerMetrics(LEADING).split('\n')
  for (const name of Object.keys(samples(LEADING)).map((key) => key.replace(/\{.*/, '').replace(/_(sum|count)$/, ''))) {
    assert.match(lines.find((line) => line.startsWith(`# HELP ${name} `)) ?? '', /^# HELP \w+ [A-Z].+\.$/)
    assert.match(lines.find((line) => line.startsWith(`# TYPE ${name} `)) ?? '', / (gauge|counter|summary)$/)
  }
})
