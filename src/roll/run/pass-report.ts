import { refKey } from '../../ground/model/object-ref.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import { stuckLimitLeftMs } from '../decide/blocked.ts'
import { DRAIN_STAGES } from '../decide/drain/classify-pod.ts'
import { podsPutBack } from '../decide/drain/put-back.ts'
import { stageUnderWay } from '../decide/drain/stage-under-way.ts'
import { drainState } from '../decide/drain/stages.ts'
import { gateLimitLeftMs } from '../decide/gates/gates-held.ts'
import type { NodeSnapshot } from '../decide/node-snapshot.ts'
import { podsHere } from '../decide/pods-here.ts'
import { cordonLost } from '../decide/steps/cordon.ts'
import { type AnySnapshot, hasSubject, isOfMachine, subjectOf } from '../decide/subject.ts'
import type { AnyDecision } from '../model/decision.ts'
import type { Step } from '../model/step.ts'
import type { EventLog } from './event-log.ts'
import { Progress } from './progress.ts'
import { allInOrder, type RunState } from './run-state.ts'
import { WaitEnds } from './wait-ends.ts'

interface PassReportParts {
  readonly run: RunState
  readonly events: EventLog
  readonly clock: Clock
}

/** Reports the passes over one node or machine as events: its steps and holds; of a node its pods and its strays. */
export class PassReport {
  readonly #parts: PassReportParts
  readonly #waits: WaitEnds
  readonly #putBack = new Set<string>()
  #progress: Progress | undefined
  #drained: string | undefined
  #strays = 0

  constructor(parts: PassReportParts) {
    this.#parts = parts
    this.#waits = new WaitEnds(parts.events)
  }

  /** The step that it is in. */
  get step(): Step | undefined {
    return this.#progress?.step
  }

  decided(snapshot: AnySnapshot, decision: AnyDecision): void {
    if (!hasSubject(snapshot)) return
    const { name } = subjectOf(snapshot)
    if (this.#progress === undefined && isUnbegun(snapshot, decision)) return
    const progress = this.#progress ?? this.#begun(name)
    if (isOfMachine(snapshot)) {
      progress.decided(decision, { onTheWay: false, limitMs: gateLimitLeftMs(snapshot, decision) })
      return
    }
    this.#waits.decided(name, snapshot, decision)
    const before = progress.step
    const limitMs = gateLimitLeftMs(snapshot, decision) ?? stuckLimitLeftMs(snapshot)
    progress.decided(decision, { onTheWay: snapshot.run.verdict === undefined, limitMs })
    if (decision.kind === 'act' && decision.step === 'cordon') this.#warnOf(cordonLost(snapshot), name)
    this.#reportPutBack(podsPutBack(snapshot).map(refKey), name)
    if (progress.step === 'drain') this.#reportDrain(snapshot, before !== 'drain')
    this.#reportStrays(snapshot, name)
  }

  #begun(node: string): Progress {
    const { events, run, clock } = this.#parts
    events.emit({ type: 'node.started', node, index: allInOrder(run).indexOf(node) })
    this.#progress = new Progress(node, { events, clock })
    return this.#progress
  }

  #reportDrain(snapshot: NodeSnapshot, begun: boolean): void {
    const { left } = drainState(snapshot)
    const remaining = DRAIN_STAGES.reduce((sum, stage) => sum + left[stage].length, 0)
    const here = podsHere(snapshot)
    const gone = Object.keys(snapshot.evidence.evicted).filter((uid) => !here.some((pod) => pod.uid === uid)).length
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

  #warnOf(text: string | undefined, node: string): void {
    if (text !== undefined) this.#parts.events.emit({ type: 'warning', node, text })
  }

  #reportPutBack(pods: readonly string[], node: string): void {
    for (const pod of pods.filter((name) => !this.#putBack.has(name))) {
      this.#putBack.add(pod)
      this.#warnOf(
        `${pod} was put back on ${node} by its controller; it is not evicted again and goes down with the node`,
        node,
      )
    }
  }

  #reportStrays(snapshot: NodeSnapshot, node: string): void {
    const entries = Object.entries(snapshot.evidence.detached)
    const total = entries.reduce((sum, [, seen]) => sum + seen.strays, 0)
    if (total <= this.#strays) return
    const server = entries.find(([, seen]) => seen.strays > 0)?.[0] ?? ''
    this.#parts.events.emit({ type: 'stray', node, server, count: total - this.#strays })
    this.#strays = total
  }
}

/** Nothing was begun: the time of the baseline belongs to no node, and a machine that is left as it was is not begun. */
const isUnbegun = (s: AnySnapshot, decision: AnyDecision): boolean =>
  decision.kind === 'hold'
    ? decision.reasons.every(({ code }) => code === 'BaselineShort')
    : decision.kind === 'settled' && isOfMachine(s)
