import { refKey } from '../../ground/model/object-ref.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import { stuckLimitLeftMs } from '../decide/blocked.ts'
import { DRAIN_STAGES } from '../decide/drain/classify-pod.ts'
import { stageUnderWay } from '../decide/drain/stage-under-way.ts'
import { drainState } from '../decide/drain/stages.ts'
import { gateLimitLeftMs } from '../decide/gates/gates-held.ts'
import { hasCurrent } from '../decide/node-snapshot.ts'
import type { RollSnapshot } from '../decide/snapshot.ts'
import type { Decision } from '../model/decision.ts'
import type { EventLog } from './event-log.ts'
import { Progress } from './progress.ts'
import { allInOrder, type RunState } from './run-state.ts'
import { ToldWaits } from './told-waits.ts'

interface NodeReportParts {
  readonly run: RunState
  readonly events: EventLog
  readonly clock: Clock
}

/** Reports the passes over one node as events: its steps and holds, its pods, its strays. */
export class NodeReport {
  readonly #parts: NodeReportParts
  readonly #waits: ToldWaits
  readonly #putBack = new Set<string>()
  #progress: Progress | undefined
  #drained: string | undefined
  #strays = 0

  constructor(parts: NodeReportParts) {
    this.#parts = parts
    this.#waits = new ToldWaits(parts.events)
  }

  decided(snapshot: RollSnapshot, decision: Decision): void {
    const { events, run } = this.#parts
    if (!hasCurrent(snapshot)) return
    const node = snapshot.current.node.name
    if (this.#progress === undefined) {
      if (isBaseline(decision)) return
      events.emit({ type: 'node.started', node, index: allInOrder(run).indexOf(node) })
      this.#progress = new Progress(node, { events, clock: this.#parts.clock })
    }
    this.#waits.decided(node, snapshot, decision)
    const before = this.#progress.step
    const limitMs = gateLimitLeftMs(snapshot, decision) ?? stuckLimitLeftMs(snapshot)
    this.#progress.decided(decision, { onTheWay: snapshot.run.verdict === undefined, limitMs })
    if (this.#progress.step === 'drain') this.#reportDrain(snapshot, before !== 'drain')
    this.#reportStrays(snapshot, node)
  }

  #reportDrain(snapshot: RollSnapshot, begun: boolean): void {
    if (!hasCurrent(snapshot)) return
    const { left, putBack } = drainState(snapshot)
    this.#reportPutBack(putBack.map(refKey), snapshot.current.node.name)
    const remaining = DRAIN_STAGES.reduce((sum, stage) => sum + left[stage].length, 0)
    const gone = Object.keys(snapshot.evidence.evicted).filter(
      (uid) => !snapshot.cluster.pods.some((pod) => pod.uid === uid),
    ).length
    const stage = stageUnderWay(snapshot, left)
    const key = `${stage[0]} ${gone} ${remaining}`
    if (!begun && key === this.#drained) return
    this.#drained = key
    const node = snapshot.current.node.name
    this.#parts.events.emit({
      type: 'step.changed',
      node,
      step: 'drain',
      done: gone,
      total: gone + remaining,
      unit: 'pods',
      stage,
    })
  }

  #reportPutBack(pods: readonly string[], node: string): void {
    for (const pod of pods.filter((name) => !this.#putBack.has(name))) {
      this.#putBack.add(pod)
      const text = `${pod} was put back on ${node} by its controller; it is not evicted again and goes down with the node`
      this.#parts.events.emit({ type: 'warning', node, text })
    }
  }

  #reportStrays(snapshot: RollSnapshot, node: string): void {
    const entries = Object.entries(snapshot.evidence.detached)
    const total = entries.reduce((sum, [, seen]) => sum + seen.strays, 0)
    if (total <= this.#strays) return
    const server = entries.find(([, seen]) => seen.strays > 0)?.[0] ?? ''
    this.#parts.events.emit({ type: 'stray', node, server, count: total - this.#strays })
    this.#strays = total
  }
}

/** Nothing was begun: the time of the baseline belongs to no node. */
const isBaseline = (decision: Decision): boolean =>
  decision.kind === 'hold' && decision.reasons.every(({ code }) => code === 'BaselineShort')
