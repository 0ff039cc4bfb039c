import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Node } from '../../../src/ground/model/node.ts'
import type { MonoMs } from '../../../src/ground/model/time.ts'
import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import type { RunState } from '../../../src/roll/run/run-state.ts'
import type { CheckAnswer } from '../../../src/service/actuators/mark/io/ask-check.ts'
import { MarkedNodes } from '../../../src/service/actuators/mark/io/marked-nodes.ts'
import type { HealthCheckSpec } from '../../../src/service/model/health-check.ts'
import type { EndpointChecks } from '../../../src/service/model/health-endpoint.ts'
import { markOn, type NodeMark } from '../../../src/service/model/node-mark.ts'
import type { MemoryCluster } from '../../support/memory-cluster.ts'
import { leave, type MemoryRoll, memoryRoll } from '../../support/memory-roll.ts'
import { aNode, aSpec } from '../../support/roll-world.ts'
import type { VirtualClock } from '../../support/virtual-clock.ts'

/** What becomes of the health checks of nodes. `stuck`: they do not go by the mark. `away`: from the roll's machine none answers. */
type Trouble = 'stuck' | 'away' | undefined

interface BoxParts {
  readonly cluster: MemoryCluster
  readonly clock: VirtualClock
  readonly mark: NodeMark
  readonly checks: EndpointChecks
  /** From the mark until the health check goes by it. */
  readonly lateMs: number
}

/**
 * A load balancer with nothing but a health check, which the nodes answer by a mark on their Node. It is asked nothing, and tells
 * the test when it left a node, and when it sent to it again.
 */
class MemoryBox {
  trouble: Trouble
  /** As it happened: `n1 left`, `n1 back`, each with its time. */
  readonly changes: { readonly what: string; readonly at: MonoMs }[] = []
  readonly #parts: BoxParts
  readonly #marked = new Map<string, MonoMs>()
  readonly #over = new AbortController()

  constructor(parts: BoxParts) {
    this.#parts = parts
    for (const name of ['n1', 'n2', 'n3']) {
      void this.#follow(name)
      void this.#check(name)
    }
  }

  end(): void {
    this.#over.abort()
  }

  /** As the roll is answered. */
  answer(name: string): CheckAnswer {
    if (this.trouble === 'away' || this.#parts.cluster.node(name).ready !== 'True')
      return { answer: 'unheard', text: 'connect ETIMEDOUT' }
    return this.#isGood(name) ? { answer: 'good', text: 'good' } : { answer: 'refused', text: 'HTTP 503' }
  }

  #isGood(name: string): boolean {
    const since = this.#marked.get(name)
    return since === undefined || this.trouble === 'stuck' || this.#parts.clock.monoMs() - since < this.#parts.lateMs
  }

  async #follow(name: string): Promise<void> {
    const { cluster, clock, mark } = this.#parts
    while (!this.#over.signal.aborted) {
      if (markOn(cluster.node(name), mark) === 'absent') this.#marked.delete(name)
      else if (!this.#marked.has(name)) this.#marked.set(name, clock.monoMs())
      await clock.sleep(50, this.#over.signal).catch(() => undefined)
    }
  }

  async #check(name: string): Promise<void> {
    const { clock, cluster, checks } = this.#parts
    let [isIn, count] = [true, 0]
    while (!this.#over.signal.aborted) {
      await clock.sleep(checks.intervalMs, this.#over.signal).catch(() => undefined)
      const isGood = cluster.node(name).ready === 'True' && this.#isGood(name)
      count = isGood === isIn ? 0 : count + 1
      if (count < (isIn ? checks.fall : checks.rise)) continue
      isIn = !isIn
      count = 0
      this.changes.push({ what: `${name} ${isIn ? 'back' : 'left'}`, at: clock.monoMs() })
    }
  }
}

const TAINT: NodeMark = { kind: 'taint', key: 'ToBeDeletedByClusterAutoscaler', value: 'evenkeel' }
const LABEL: NodeMark = { kind: 'label', key: 'node.kubernetes.io/exclude-from-external-load-balancers', value: '' }
const OWN: NodeMark = { kind: 'annotation', key: 'example.com/out', value: 'evenkeel' }
const FAST = { intervalMs: 2_000, fall: 3, rise: 2, drainsAtOnce: false, slackMs: 2_000 }
const SLOW = { ...FAST, intervalMs: 5_000, fall: 2 }
const SPEC: HealthCheckSpec = {
  mark: TAINT,
  check: { url: 'http://{address}:10256/healthz', expectStatus: [200, 399], timeoutMs: 1_000 },
  markDelayMs: 10_000,
  checks: FAST,
  dataPort: 443,
}
const LATE_MS = 1_500
const IDLE_MS = 5_000

interface Given {
  readonly spec?: HealthCheckSpec
  readonly n1?: Partial<Node>
  readonly run?: Partial<RunState>
  readonly world?: Pick<MemoryRoll, 'clock' | 'cluster'> & { readonly box: MemoryBox }
}

function aRoll(t: TestContext, { spec: healthCheck = SPEC, n1 = {}, run = {}, world }: Given = {}) {
  const edge = { name: 'edge', instances: ['edge'], backends: ['nodes'], allowLastServer: false }
  const balancer = { ...edge, via: { kind: 'mark' as const, ...healthCheck } }
  const spec = aSpec({ balancers: [balancer], detach: { idleLimitMs: IDLE_MS } })
  let box = world?.box
  const roll = memoryRoll({
    run: { spec, order: ['n1'], ...run },
    nodes: ['n1', 'n2', 'n3'].map((name) => aNode(name, name === 'n1' ? n1 : {})),
    readers: (cluster, clock) => {
      const { mark, checks } = healthCheck
      box ??= new MemoryBox({ cluster, clock, mark, checks, lateMs: LATE_MS })
      const answers = box
      const ask = ({ name }: Node) => Promise.resolve(answers.answer(name))
      return [new MarkedNodes({ spec: balancer, cluster, clock, ask })]
    },
    ...(world === undefined ? {} : { world }),
  })
  const running = roll.begin()
  assert.ok(box)
  const seen = box
  t.after(async () => {
    await leave(roll, running)
    seen.end()
  })
  return { roll, running, box: seen }
}

const held = ({ events }: MemoryRoll): readonly string[] =>
  events.flatMap((event) => ('reasons' in event ? event.reasons.map(({ code }) => code) : []))

const noticed = ({ events }: MemoryRoll) =>
  events.filter((event): event is Extract<StampedEvent, { type: 'noticed' }> => event.type === 'noticed')

const marks = ({ cluster }: MemoryRoll) => {
  const { taints, labels, annotations } = cluster.node('n1')
  return { taints, labels, annotations }
}
const NONE = { taints: [], labels: {}, annotations: {} }

for (const [what, mark, checks, leaveMs, returnMs] of [
  ['a taint, and a check every 2 s that fails 3 times', TAINT, FAST, 8_000, 6_000],
  ['a label, and a check every 5 s that fails twice', LABEL, SLOW, 12_000, 12_000],
  ['an annotation, and a check every 2 s that fails 3 times', OWN, FAST, 8_000, 6_000],
] as const) {
  test(`by ${what}: the node is rebooted once the box has left it, and the wait is as long as computed`, async (t) => {
    const { roll, box } = aRoll(t, { spec: { ...SPEC, mark, checks } })
    await roll.clock.advance(600_000)
    assert.deepEqual([roll.reboots, roll.ended()?.outcome, marks(roll)], [['n1'], 'completed', NONE])
    const [left, back, ...more] = box.changes.map(({ what: change }) => change)
    assert.deepEqual([left, back, more], ['n1 left', 'n1 back', []])
    const waits = noticed(roll).map(({ step, afterMs }) => [step, afterMs] as const)
    assert.deepEqual(
      waits.map(([step]) => step),
      ['detach', 'attach'],
    )
    // One pass later at most.
    const [out = 0, back2 = 0] = waits.map(([, afterMs]) => afterMs)
    assert.ok(out >= leaveMs && out <= leaveMs + 700, `${out}`)
    assert.ok(back2 >= returnMs && back2 <= returnMs + 700, `${back2}`)
    const evicted = roll.events.find((event) => event.type === 'step.started' && event.step === 'drain')
    const at = (Date.parse(evicted?.at ?? '') || 0) - (Date.parse(roll.events[0]?.at ?? '') || 0)
    assert.ok(at >= (box.changes[0]?.at ?? 0) - 1_000_000 - 1_000, `${at}`)
  })
}

test('what the roll waited for is reported with the checks that it was computed from', async (t) => {
  const { roll } = aRoll(t)
  await roll.clock.advance(600_000)
  const [{ text: out } = { text: '' }, { text: back } = { text: '' }] = noticed(roll)
  const tenths = /waited (8|8\.\d|6|6\.\d) s/
  assert.match(out, tenths)
  assert.match(back, tenths)
  assert.ok(out.startsWith('n1 leaves: waited 8'))
  assert.ok(
    out.endsWith(
      'from its first failed health check; a load balancer that checks every 2 s and needs 3 failures has noticed by then (6 s, plus 2 s of slack)',
    ),
    out,
  )
  assert.ok(
    back.endsWith(
      'a load balancer that checks every 2 s and needs 2 successes has noticed by then (4 s, plus 2 s of slack)',
    ),
    back,
  )
})

test('a check that stays good is named, and the limit puts everything back', async (t) => {
  const { roll, box } = aRoll(t)
  box.trouble = 'stuck'
  await roll.clock.advance(60_000)
  assert.ok(held(roll).includes('CheckStaysGood'), held(roll).join())
  await roll.clock.advance(900_000)
  assert.deepEqual([roll.reboots, marks(roll), roll.cluster.node('n1').unschedulable], [[], NONE, false])
  assert.equal(roll.ended()?.exitCode, 3)
})

test('a check that cannot be asked any more holds, and counts from anew once it answers', async (t) => {
  const { roll, box } = aRoll(t)
  await roll.clock.advance(12_000)
  assert.equal(marks(roll).taints.length, 1)
  box.trouble = 'away'
  await roll.clock.advance(60_000)
  assert.ok(held(roll).includes('CheckUnknown'), held(roll).join())
  assert.deepEqual(roll.reboots, [])
  box.trouble = undefined
  await roll.clock.advance(600_000)
  assert.deepEqual([roll.reboots, marks(roll), roll.ended()?.outcome], [['n1'], NONE, 'completed'])
})

test('no node is begun while its check cannot be asked', async (t) => {
  const { roll, box } = aRoll(t)
  box.trouble = 'away'
  await roll.clock.advance(30_000)
  assert.deepEqual([marks(roll), roll.cluster.node('n1').unschedulable, roll.reboots], [NONE, false, []])
})

test('a check that is not asked is waited for by time alone', async (t) => {
  const { check: _, ...spec } = SPEC
  const { roll } = aRoll(t, { spec })
  await roll.clock.advance(600_000)
  assert.deepEqual([roll.reboots, marks(roll), roll.ended()?.outcome], [['n1'], NONE, 'completed'])
  const [out] = noticed(roll)
  assert.ok((out?.afterMs ?? 0) >= 18_000, JSON.stringify(out))
  assert.match(
    out?.text ?? '',
    /waited 18 s from the mark; a load balancer that checks .* has noticed by then \(6 s, plus 2 s of slack, after 10 s for the health check to follow, which the roll does not see\)/,
  )
})

test('a mark that was there before the roll stays, and the node is rebooted', async (t) => {
  const theirs = { key: TAINT.key, value: '1700000000', effect: 'PreferNoSchedule' }
  const { roll } = aRoll(t, { n1: { taints: [theirs] } })
  await roll.clock.advance(600_000)
  assert.deepEqual([roll.reboots, marks(roll).taints, roll.cluster.node('n1').unschedulable], [['n1'], [theirs], false])
})

test('a mark that others set in the place of ours keeps the node out', async (t) => {
  const { roll } = aRoll(t)
  await roll.clock.advance(12_000)
  const theirs = { key: TAINT.key, value: '1700000000', effect: 'PreferNoSchedule' }
  roll.cluster.change('n1', { taints: [theirs] })
  await roll.clock.advance(900_000)
  assert.deepEqual([roll.reboots, marks(roll).taints], [['n1'], [theirs]])
  assert.ok(held(roll).includes('MarkOfOthers'))
  assert.notEqual(roll.ended()?.outcome, 'completed')
})

test('a mark that others remove while the node must be out is set again', async (t) => {
  const { roll } = aRoll(t)
  await roll.clock.advance(12_000)
  roll.cluster.change('n1', { taints: [] })
  await roll.clock.advance(2_000)
  assert.equal(marks(roll).taints.length, 1)
  await roll.clock.advance(600_000)
  assert.deepEqual([roll.reboots, marks(roll), roll.ended()?.outcome], [['n1'], NONE, 'completed'])
})

for (const seconds of [9, 14, 24, 45]) {
  test(`a roll that ends after ${seconds} s is resumed where it was`, async (t) => {
    const first = aRoll(t)
    await first.roll.clock.advance(seconds * 1_000)
    await leave(first.roll, first.running)
    const { clock, cluster } = first.roll
    const second = aRoll(t, { run: { resumed: true }, world: { clock, cluster, box: first.box } })
    await clock.advance(30_000)
    cluster.change('n1', { heartbeat: 'of a kubelet that goes on' })
    await clock.advance(300_000)
    const reboots = [...first.roll.reboots, ...second.roll.reboots]
    assert.deepEqual([reboots, marks(second.roll), second.roll.ended()?.outcome], [['n1'], NONE, 'completed'])
  })
}
