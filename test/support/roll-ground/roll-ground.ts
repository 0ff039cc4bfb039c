import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'
import type { Step } from '../../../src/roll/model/step.ts'
import type { Seen } from './event-log.ts'

/** What is merged over `spec` of the roll.yaml. */
export type Spec = Readonly<Record<string, unknown>>

export interface RollExit {
  /** Null where it was killed. */
  readonly code: number | null
  /** What stood on the screen; empty where there is none. */
  readonly shown: string
  /** What it told, for the reader of a red test. */
  readonly story: string
}

/** One process of a roll. */
export interface RollHandle {
  readonly events: readonly StampedEvent[]
  /** Its failure windows, as `-o jsonl` tells them. */
  windows(): readonly ToldWindow[]
  /** The first event of that kind, seen already or to come; rejects when the roll ends without it. */
  until(what: string, seen: Seen): Promise<StampedEvent>
  untilStep(step: Step, node?: string): Promise<StampedEvent>
  ended(): Promise<RollExit>
  /** `kill -9`; settles when it is gone. */
  kill(): Promise<void>
  /** Ctrl-C. */
  interrupt(): void
}

export interface ToldWindow {
  readonly type: 'window.opened' | 'window.closed'
  readonly failed: number
  readonly firstBadAt: string
  readonly lastBadAt: string
  readonly reloads?: readonly { readonly instance: string; readonly nodes: readonly string[] }[]
}

/** A client that sends requests of its own beside the roll's, in the same time. */
export interface JudgeHandle {
  verdict(): Promise<Judged>
}

export interface Judged {
  readonly failedRequests: number
  readonly sentRequests: number
  /** That it could not begin in time. */
  readonly skippedRequests: number
  /** When requests failed, a pair of wall clock times each. */
  readonly windows: readonly { readonly fromMs: number; readonly toMs: number }[]
}

export interface SeenRequest {
  readonly atMs: number
  /** As in an audit log: `create`, `delete`, … */
  readonly verb: string
  readonly resource: string
  readonly subresource?: string
  readonly name?: string
  readonly code: number
}

export interface BootCount {
  stop(): Promise<Readonly<Record<string, number>>>
}

/** An object of the API, as far as scenarios read it. */
export interface SeenObject {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly annotations?: Readonly<Record<string, string>>
    readonly deletionTimestamp?: string
  }
  readonly spec: {
    readonly nodeName?: string
    /** Of a claim. */
    readonly volumeName?: string
    readonly volumes?: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[]
    /** Of an attachment. */
    readonly source?: { readonly persistentVolumeName?: string }
    readonly unschedulable?: boolean
    readonly taints?: readonly { readonly key: string }[]
  }
}

/**
 * A cluster with the article's workloads behind one HAProxy `lb-1`, and rolls of it: three real nodes, or three in virtual
 * time. A scenario runs on both and asserts the same.
 */
export interface RollGround {
  readonly nodes: readonly string[]
  /** A roll of that spec, begun; `words` follow on the command line, where there is one. */
  roll(spec?: Spec, ...words: readonly string[]): Promise<RollHandle>
  /** The roll that was begun last, taken up. */
  resume(): Promise<RollHandle>
  judge(): Promise<JudgeHandle>
  /** Objects of a collection, by its path. */
  list(path: string): Promise<readonly SeenObject[]>
  /** What the API server was asked so far, by the roll and by the scenario. */
  requests(): Promise<readonly SeenRequest[]>
  apply(manifests: readonly object[]): Promise<void>
  remove(path: string): Promise<void>
  /** The whole reply of the balancer's runtime API. */
  balancer(line: string): Promise<string>
  reloadBalancer(): Promise<void>
  /** From now on, how often each node boots. */
  countBoots(): BootCount
  /** It has power and its system runs. */
  isOn(node: string): Promise<boolean>
  powerOff(node: string): Promise<void>
  powerOn(node: string): Promise<void>
  killApiServer(): Promise<void>
  /** Settles when it says that it is ready. */
  startApiServer(): Promise<void>
  /** Of the time that the cluster lives in. */
  nowMs(): number
  pause(ms: number): Promise<void>
}
