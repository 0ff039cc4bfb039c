import type { Reason } from '../../../src/ground/model/reason.ts'
import type { LoadTick, NodeResult, RollEvent, StampedEvent } from '../../../src/roll/model/roll-event.ts'
import { STEPS, type Step } from '../../../src/roll/model/step.ts'

const START = Date.parse('2026-11-21T06:14:39.182Z')
const RUN = '20261121T061439Z-1f0e'

interface NodeReading {
  readonly pods: number
  readonly servers: readonly string[]
  /** Seconds in each step; the usual ones where it says nothing. */
  readonly seconds?: Readonly<Partial<Record<Step, number>>>
  /** The last step that it takes; all of them where it says nothing. */
  readonly upTo?: Step
}

const USUAL: Readonly<Record<Step, number>> = {
  slot: 0.4,
  record: 0.1,
  cordon: 0.1,
  detach: 21,
  drain: 62,
  reboot: 34,
  proof: 19,
  uncordon: 0.1,
  settle: 6,
  attach: 9,
  soak: 30,
}

const BEGUN_FOR: Readonly<Record<Step, string>> = {
  slot: 'a slot of the node budget is free',
  record: 'the state before the roll is not recorded on the node yet',
  cordon: 'new pods can still be scheduled here',
  detach: 'servers are ready',
  drain: 'pods of stage 2 are here',
  reboot: 'the reboot is not announced on the node yet',
  proof: 'no heartbeat came since the new boot id',
  uncordon: 'the cordon is ours',
  settle: 'settled 0 of 3 times in a row',
  attach: 'its own checks passed on every instance',
  soak: 'traffic is watched for the soak time',
}

/** Tells a roll as its journal would: steps, writes, pods and a count of the load every five seconds. */
export class RunTeller {
  readonly events: StampedEvent[] = []
  readonly #nodes: readonly string[]
  now = START
  #sent = 0
  #failed = 0
  #excused = 0
  #skipped = 0
  #strays = 0
  #notMeasuredMs = 0
  #lastTick = START
  #podsMoved = 0

  constructor(cluster: string, nodes: readonly string[]) {
    this.#nodes = nodes
    this.emit({ type: 'roll.started', run: RUN, cluster, nodes, resumed: false })
    this.now += 10_000
    this.#lastTick = this.now
    this.emit({ type: 'baseline.ended', sent: 1_001, p99Ms: 11.2 })
    this.emit({ type: 'load.tick', load: this.load() })
  }

  emit(event: RollEvent): this {
    this.events.push({ ...event, v: '1.0', seq: this.events.length, at: new Date(Math.round(this.now)).toISOString() })
    return this
  }

  load(): LoadTick {
    return {
      sent: this.#sent,
      failed: this.#failed,
      ...(this.#excused === 0 ? {} : { excused: this.#excused }),
      skipped: this.#skipped,
      ratePerSecond: 100,
      p99Ms: 12.4,
      baselineP99Ms: 11.2,
      strays: this.#strays,
      notMeasuredMs: this.#notMeasuredMs,
    }
  }

  wait(seconds: number): this {
    const until = this.now + seconds * 1000
    while (this.#lastTick + 5_000 <= until) {
      this.#lastTick += 5_000
      this.now = this.#lastTick
      this.#sent += 500
      this.emit({ type: 'load.tick', load: this.load() })
    }
    this.now = until
    return this
  }

  lost(facts: {
    readonly failed?: number
    readonly excused?: number
    readonly skipped?: number
    readonly gapMs?: number
  }): this {
    this.#failed += facts.failed ?? 0
    this.#excused += facts.excused ?? 0
    this.#skipped += facts.skipped ?? 0
    this.#notMeasuredMs += facts.gapMs ?? 0
    return this
  }

  stray(node: string, server: string, count: number): this {
    this.#strays += count
    return this.emit({ type: 'stray', node, server, count })
  }

  begin(node: string): this {
    this.#podsMoved = 0
    return this.emit({ type: 'node.started', node, index: this.#nodes.indexOf(node) })
  }

  /** One step; `during` tells what happens after the first third of it. */
  step(node: string, step: Step, facts: NodeReading, during?: () => void): this {
    const seconds = facts.seconds?.[step] ?? USUAL[step]
    const found = facts.servers.map(
      (server): Reason => ({ code: 'InBalancer', object: server, text: `${server} is ready` }),
    )
    const reasons: readonly Reason[] = step === 'detach' ? found : [{ code: 'NotRecorded', text: BEGUN_FOR[step] }]
    this.emit({ type: 'step.started', node, step, reasons })
    if (step === 'detach') this.#tell(node, facts, 'drain')
    this.wait(seconds / 3)
    during?.()
    if (step === 'drain') this.#evict(node, facts, (seconds * 2) / 3)
    else this.wait((seconds * 2) / 3)
    if (step === 'attach') this.#tell(node, facts, 'ready')
    return this.emit({ type: 'step.ended', node, step, reasons: [{ code: 'NodeDone', text: 'it is so now' }] })
  }

  node(node: string, facts: NodeReading, during: Readonly<Partial<Record<Step, () => void>>> = {}): this {
    this.begin(node)
    const steps = facts.upTo === undefined ? STEPS : STEPS.slice(0, STEPS.indexOf(facts.upTo) + 1)
    for (const step of steps) this.step(node, step, facts, during[step])
    return this
  }

  #tell(node: string, { servers }: NodeReading, state: string): void {
    for (const server of servers) {
      this.emit({ type: 'write', node, action: 'setServer', text: `set ${server} to ${state}`, ok: true })
    }
  }

  #evict(node: string, { pods }: NodeReading, seconds: number): void {
    for (let index = 0; index < pods; index += 1) {
      const pod = `shop/api-7c9d5f${index}-${'abcdefghkm'[index % 10]}x${index}`
      this.emit({ type: 'write', node, action: 'evict', text: `evict ${pod}`, ok: true })
      this.emit({ type: 'pod.moved', node, pod, stage: index < 2 ? 1 : 2 })
      this.#podsMoved += 1
      this.wait(seconds / pods)
      const stage = [index < 2 ? 1 : 2, 2] as const
      this.emit({ type: 'step.changed', node, step: 'drain', done: index + 1, total: pods, unit: 'pods', stage })
    }
  }

  standing(node: string, facts: Partial<NodeResult> = {}): NodeResult {
    return {
      node,
      state: 'inService',
      step: 'soak',
      cordoned: false,
      detached: false,
      podsMoved: this.#podsMoved,
      failedRequests: 0,
      text: 'back in service',
      ...facts,
    }
  }

  ended(node: string, facts: Partial<NodeResult> = {}): this {
    return this.emit({ type: 'node.ended', standing: this.standing(node, facts) })
  }
}
