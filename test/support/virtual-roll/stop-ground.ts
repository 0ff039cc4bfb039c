import assert from 'node:assert/strict'
import type { Sample } from '../../../src/ground/model/probe.ts'
import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import type { Step } from '../../../src/roll/model/step.ts'
import type { RollEnd } from '../../../src/roll/run/roll-end.ts'
import { leftoversOf } from '../roll-ground/leftovers-of.ts'
import { articleCluster, virtualRollFile } from './article-cluster.ts'
import type { EngineProcess } from './engine-process.ts'
import { VirtualGround } from './virtual-ground.ts'
import { VirtualRoll } from './virtual-roll.ts'
import { budgetOf } from './watch-out.ts'

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
export async function stopGround({ stop, nodes = 3, spec = {} }: Asked): Promise<Ground> {
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
      await cluster.time.settle(process.told, LIMIT_MS)
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
