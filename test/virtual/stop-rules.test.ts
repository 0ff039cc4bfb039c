import assert from 'node:assert/strict'
import type { Sample } from '../../src/ground/model/probe.ts'
import type { StampedEvent } from '../../src/roll/model/roll-event.ts'
import type { Step } from '../../src/roll/model/step.ts'
import type { RollEnd } from '../../src/roll/run/roll-end.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import { simulationTest } from '../support/simulation-test.ts'
import { articleCluster, virtualRollFile } from '../support/virtual-roll/article-cluster.ts'
import type { EngineProcess } from '../support/virtual-roll/engine-process.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'
import { VirtualRoll } from '../support/virtual-roll/virtual-roll.ts'
import { budgetOf } from '../support/virtual-roll/watch-out.ts'

const LIMIT_MS = 3_600_000
const BRISK = { soak: '2s', baseline: { duration: '3s', limit: '20s' }, settle: { limit: '2min', timesInARow: 1 } }

interface Span {
  readonly at: string
  readonly from: number
  to: number
}

/** What the traffic suffers that is due while the roll is in a step of a node. */
class Luck {
  /** `node step`, or `node step and node step` → how many requests fail there. */
  readonly failing = new Map<string, number>()
  /** `node step` → for how long every request fails from its first one on. */
  readonly downMs = new Map<string, number>()
  /** Whether every fifth request takes 700 ms more. */
  isSlow: (at: string) => boolean = () => false
  readonly #spans: Span[] = []
  #downUntil = 0
  #count = 0

  note(event: StampedEvent): void {
    if (event.type !== 'step.started' && event.type !== 'step.ended') return
    const at = `${event.node} ${event.step}`
    const stamp = Date.parse(event.at)
    if (event.type === 'step.started') this.#spans.push({ at, from: stamp, to: Number.POSITIVE_INFINITY })
    for (const span of this.#spans)
      if (event.type === 'step.ended' && span.at === at) span.to = Math.min(span.to, stamp)
  }

  readonly sample = (sample: Sample): Sample => {
    const due = sample.scheduledAt
    const each = this.#spans.filter(({ from, to }) => due >= from && due < to).map(({ at }) => at)
    const places = each.length > 1 ? [...each, each.toSorted().join(' and ')] : each
    for (const at of places) {
      const downMs = this.downMs.get(at)
      if (downMs === undefined) continue
      this.downMs.delete(at)
      this.#downUntil = due + downMs
    }
    if (due < this.#downUntil) return failed(sample)
    const failing = places.find((at) => (this.failing.get(at) ?? 0) > 0)
    if (failing !== undefined) {
      this.failing.set(failing, (this.failing.get(failing) ?? 0) - 1)
      return failed(sample)
    }
    this.#count += 1
    const isSlow = this.#count % 5 === 0 && (places.length === 0 ? [''] : places).some(this.isSlow)
    return isSlow ? { ...sample, latencyMs: sample.latencyMs + 700 } : sample
  }
}

const failed = (sample: Sample): Sample => ({
  ...sample,
  verdict: 'failed',
  failure: 'connect',
  error: 'connect ECONNREFUSED',
})

interface Asked {
  readonly stop?: object
  readonly nodes?: number
  readonly spec?: object
}

interface Ground {
  readonly luck: Luck
  readonly roll: VirtualRoll
  readonly begin: () => Promise<EngineProcess>
  readonly resume: () => EngineProcess
  readonly end: (process: EngineProcess) => Promise<RollEnd>
  /** As `end`, of a process that keeps a node out until it is interrupted. */
  readonly guarded: (process: EngineProcess) => Promise<Extract<StampedEvent, { type: 'roll.ended' }>>
  readonly at: (process: EngineProcess, node: string, step: Step) => Promise<void>
  readonly leftovers: () => Promise<readonly unknown[]>
  readonly boots: () => readonly number[]
}

/** The article's cluster, and a roll of it whose probes suffer what the test says. */
async function ground({ stop, nodes = 3, spec = {} }: Asked): Promise<Ground> {
  const cluster = await articleCluster({ nodes })
  const luck = new Luck()
  const virtual = new VirtualGround(cluster)
  await virtual.apply([budgetOf('2')])
  const file = virtualRollFile({ spec: { ...BRISK, ...(stop === undefined ? {} : { stop }), ...spec }, rate: 50 })
  const roll = new VirtualRoll(cluster, file, { sampleLuck: luck.sample })
  const heard = (process: EngineProcess): EngineProcess => {
    process.listen((event) => luck.note(event))
    return process
  }
  const before = cluster.nodes.map((node) => cluster.machines.get(node)?.boots ?? 0)
  return {
    luck,
    roll,
    begin: async () => heard(await roll.begin()),
    resume: () => heard(roll.resume()),
    end: async (process) => {
      const end = await cluster.time.settle(process.ended, LIMIT_MS)
      assert.ok(end !== 'died')
      return end
    },
    guarded: async (process) => {
      await cluster.time.settle(process.reported, LIMIT_MS)
      const end = process.events.findLast((event) => event.type === 'roll.ended')
      assert.ok(end !== undefined)
      return end
    },
    at: async (process, node, step) => {
      const { promise, resolve } = Promise.withResolvers<void>()
      process.listen((event) => {
        if (event.type === 'step.started' && event.node === node && event.step === step) resolve()
      })
      await cluster.time.settle(promise, LIMIT_MS)
    },
    leftovers: () => leftoversOf(virtual),
    boots: () => cluster.nodes.map((node, i) => (cluster.machines.get(node)?.boots ?? 0) - (before[i] ?? 0)),
  }
}

const test = simulationTest(import.meta.url)

const PROBE = 'front-1'

const codes = ({ reasons }: Pick<RollEnd, 'reasons'>): readonly string[] => [
  ...new Set(reasons.map(({ code }) => code)),
]

const states = ({ standings }: Pick<RollEnd, 'standings'>) =>
  Object.fromEntries(standings.map(({ node, state }) => [node, state]))

const usedOf = (process: EngineProcess, rule: string): readonly (number | undefined)[] => {
  const end = process.events.findLast((event) => event.type === 'roll.ended')
  const use = end?.load?.stop?.find((found) => found.rule === rule)
  return [use?.used, use?.allowed]
}

test('as many failed requests as the file allows: the roll is done, and says how many were used', async () => {
  const { luck, begin, end, leftovers, boots } = await ground({ stop: { failedRequests: { inAll: 3 } } })
  luck.failing.set('n1 drain', 2)
  luck.failing.set('n2 soak', 1)
  const process = await begin()
  const ended = await end(process)
  assert.deepEqual([ended.outcome, ended.exitCode, ended.reasons], ['completed', 0, []])
  assert.deepEqual(usedOf(process, 'failedRequests'), [3, 3])
  assert.deepEqual(boots(), [1, 1, 1])
  assert.deepEqual(await leftovers(), [])
})

test('one failed request more than the file allows stops: the node before its reboot is restored, and its step is blamed', async () => {
  const { luck, begin, end, leftovers, boots } = await ground({ stop: { failedRequests: { inAll: 3 } } })
  luck.failing.set('n1 drain', 2)
  luck.failing.set('n2 drain', 2)
  const process = await begin()
  const ended = await end(process)
  assert.deepEqual([ended.outcome, ended.exitCode], ['stopped', 1])
  assert.deepEqual(codes(ended), ['TooManyFailed', 'RequestsFailed'])
  assert.equal(
    ended.reasons[0]?.text,
    '4 requests failed, and stop.failedRequests.inAll allows 3: 2 at n1, drain; 2 at n2, drain',
  )
  assert.deepEqual(states(ended), { n1: 'inService', n2: 'restored', n3: 'notTouched' })
  assert.deepEqual(boots(), [1, 0, 0])
  assert.deepEqual(await leftovers(), [])
})

test('more than one node may be blamed for stops the roll, and names that node', async () => {
  const { luck, begin, end } = await ground({ stop: { failedRequests: { inAll: 9, perNode: 2 } } })
  luck.failing.set('n1 drain', 2)
  luck.failing.set('n2 drain', 3)
  const ended = await end(await begin())
  assert.equal(ended.outcome, 'stopped')
  const [reason] = ended.reasons
  assert.deepEqual([reason?.code, reason?.object], ['TooManyFailed', 'n2'])
  assert.match(reason?.text ?? '', /^3 requests failed for which n2 is blamed, .*perNode allows 2: 3 at n2, drain$/)
})

test('a node after its reboot that breaks the rule while it is put back is taken out again, and an abort puts it back', async () => {
  const { luck, begin, guarded, roll, end, leftovers } = await ground({ stop: { failedRequests: { inAll: 1 } } })
  luck.failing.set('n1 soak', 2)
  const process = await begin()
  const ended = await guarded(process)
  assert.deepEqual([ended.outcome, ended.guarded, states(ended).n1], ['stopped', ['n1'], 'out'])
  process.interrupt()
  await end(process)
  const reasons = [{ code: 'Aborted', text: 'the roll was aborted' }] as const
  const aborted = await end(roll.resume({ kind: 'aborted', keepOut: false, reasons }))
  assert.deepEqual([aborted.outcome, aborted.exitCode], ['aborted', 0])
  assert.deepEqual(await leftovers(), [])
})

test('an allowed failed request in the soak of a node makes the soak begin anew', async () => {
  const { luck, begin, end } = await ground({
    stop: { failedRequests: { inAll: 1 } },
    spec: { soak: '10s', nodes: { names: ['n1'] } },
  })
  luck.failing.set('n1 soak', 1)
  const process = await begin()
  const ended = await end(process)
  assert.equal(ended.outcome, 'completed')
  const soak = process.events.filter(
    (event) => (event.type === 'step.started' || event.type === 'step.ended') && event.step === 'soak',
  )
  const window = process.events.flatMap((event) => (event.type === 'window.closed' ? [event.window] : [])).at(-1)
  const [, over] = soak.map(({ at }) => Date.parse(at))
  assert.ok((over ?? 0) - (window?.lastBadAt ?? Number.POSITIVE_INFINITY) >= 10_000)
})

test('while requests fail, a roll whose file allows them takes nothing more away', async () => {
  const { luck, begin, end } = await ground({ stop: { errorBudget: [{ probe: PROBE, downtime: '1min' }] } })
  luck.downMs.set('n2 drain', 8_000)
  const process = await begin()
  const ended = await end(process)
  assert.equal(ended.outcome, 'completed')
  const held = process.events.filter(
    (event) => event.type === 'hold.started' && event.reasons.some(({ code }) => code === 'RequestsFailing'),
  )
  assert.ok(held.length > 0)
  const window = process.events.flatMap((event) => (event.type === 'window.closed' ? [event.window] : [])).at(-1)
  const { firstBadAt = 0, firstOkAt = 0 } = window ?? {}
  const evictions = process.events.filter(({ type }) => type === 'pod.moved').map(({ at }) => Date.parse(at))
  // What is on its way when the first request fails is not called back.
  assert.deepEqual(
    evictions.filter((at) => at > firstBadAt + 500 && at < firstOkAt),
    [],
  )
  assert.ok(evictions.some((at) => at > firstOkAt))
})

const LATENCY = { latency: [{ slowerThan: '500ms', share: '5%', over: '10s' }] }

test('a service that becomes slow in a step of one node stops the roll at that node', async () => {
  const { luck, begin, end, leftovers, boots } = await ground({ stop: LATENCY, spec: { drain: { grace: '20s' } } })
  luck.isSlow = (at) => at.startsWith('n2 ') && at !== 'n2 slot'
  const ended = await end(await begin())
  assert.deepEqual([ended.outcome, ended.exitCode], ['stopped', 1])
  assert.equal(ended.reasons[0]?.code, 'TooSlow')
  assert.match(
    ended.reasons[0]?.text ?? '',
    /^\d.* % of the requests to front-1 in 10 s took longer than 500 ms.*at n2, /,
  )
  assert.equal(states(ended).n1, 'inService')
  assert.equal(states(ended).n3, 'notTouched')
  assert.deepEqual([boots()[0], boots()[2]], [1, 0])
  if (states(ended).n2 === 'restored') assert.deepEqual(await leftovers(), [])
})

test('a service that is slow already is said before anything is begun: held, and nothing is touched', async () => {
  const { luck, begin, end, leftovers, boots } = await ground({ stop: LATENCY })
  luck.isSlow = () => true
  const ended = await end(await begin())
  assert.deepEqual([ended.outcome, ended.exitCode, codes(ended)], ['held', 3, ['BaselineSlow']])
  assert.deepEqual(boots(), [0, 0, 0])
  assert.deepEqual(await leftovers(), [])
})

test('a service that is slower than the limit for as many requests as the file allows stops nothing', async () => {
  const { luck, begin, end } = await ground({ stop: { latency: [{ slowerThan: '500ms', share: '30%' }] } })
  luck.isSlow = () => true
  const process = await begin()
  assert.equal((await end(process)).outcome, 'completed')
  const [used = 0, allowed] = usedOf(process, 'latency')
  assert.ok(used > 0.1 && used < 0.3, String(used))
  assert.equal(allowed, 0.3)
})

for (const [downtime, outcome] of [
  ['20s', 'completed'],
  ['4s', 'stopped'],
] as const)
  test(`downtime of a second and a half at each of three nodes, with a budget of ${downtime}: ${outcome}`, async () => {
    const { luck, begin, end, boots } = await ground({ stop: { errorBudget: [{ downtime }] } })
    for (const node of ['n1', 'n2', 'n3']) luck.downMs.set(`${node} drain`, 1_500)
    const process = await begin()
    const ended = await end(process)
    assert.equal(ended.outcome, outcome)
    const [used = 0] = usedOf(process, 'downtime')
    if (outcome === 'completed') {
      assert.ok(used >= 4_500 && used < 5_500, String(used))
      return
    }
    assert.equal(ended.reasons[0]?.code, 'ErrorBudgetUsedUp')
    assert.match(ended.reasons[0]?.text ?? '', /at n1, drain; .* at n2, drain; .* at n3, drain/)
    assert.deepEqual([states(ended).n3, boots()], ['restored', [1, 1, 0]])
  })

test('a kill gives nothing back of what is allowed, and a stop does', async () => {
  const { luck, begin, resume, end, at, leftovers } = await ground({ stop: { failedRequests: { inAll: 3 } } })
  luck.failing.set('n1 drain', 2)
  const first = await begin()
  await at(first, 'n1', 'proof')
  first.kill()
  luck.failing.set('n2 drain', 2)
  const second = resume()
  const stopped = await end(second)
  assert.deepEqual([stopped.outcome, codes(stopped)[0]], ['stopped', 'TooManyFailed'])
  assert.match(stopped.reasons[0]?.text ?? '', /^4 requests failed, .* 2 at n1, drain; 2 at n2, drain$/)
  luck.failing.set('n2 drain', 3)
  const third = resume()
  const done = await end(third)
  assert.deepEqual([done.outcome, done.exitCode], ['completed', 0])
  assert.deepEqual(usedOf(third, 'failedRequests'), [3, 3])
  assert.deepEqual(await leftovers(), [])
})

test('with two nodes in work, the rule stops both: what is not rebooted is restored, and nothing new is begun', async () => {
  const { luck, begin, end, boots, leftovers } = await ground({
    stop: { failedRequests: { inAll: 4 } },
    nodes: 4,
    spec: { parallel: 2 },
  })
  luck.failing.set('n2 drain', 5)
  const ended = await end(await begin())
  assert.deepEqual([ended.outcome, codes(ended)[0]], ['stopped', 'TooManyFailed'])
  const { n1, ...others } = states(ended)
  assert.deepEqual(others, { n2: 'restored', n3: 'notTouched', n4: 'notTouched' })
  assert.deepEqual([n1 === 'restored' || n1 === 'inService', boots().slice(1)], [true, [0, 0, 0]])
  assert.deepEqual(await leftovers(), [])
})

const SOAKING = { nodes: 4, spec: { parallel: 2, soak: '20s' } }

test('law: with several nodes in work, a failed request takes out the node that is blamed for it, and further ones only if failures go on; one request, and the other node soaks to its end', async () => {
  const { luck, begin, guarded, end } = await ground(SOAKING)
  luck.failing.set('n1 soak and n2 soak', 1)
  const process = await begin()
  const ended = await guarded(process)
  const [out = ''] = ended.guarded ?? []
  const other = out === 'n1' ? 'n2' : 'n1'
  assert.deepEqual([ended.outcome, ended.guarded?.length, states(ended)[other]], ['stopped', 1, 'inService'])
  const soak = (type: 'step.started' | 'step.ended') =>
    Date.parse(
      process.events.find((event) => event.type === type && event.node === other && event.step === 'soak')?.at ?? '',
    )
  assert.ok(soak('step.ended') - soak('step.started') >= 20_000)
  process.interrupt()
  await end(process)
})

test('law: with several nodes in work, a failed request takes out the node that is blamed for it, and further ones only if failures go on; an outage that lasts', async () => {
  const { luck, begin, guarded, end } = await ground(SOAKING)
  luck.downMs.set('n1 soak and n2 soak', 8_000)
  const process = await begin()
  const ended = await guarded(process)
  assert.deepEqual([ended.outcome, ended.guarded?.toSorted()], ['stopped', ['n1', 'n2']])
  process.interrupt()
  await end(process)
})
