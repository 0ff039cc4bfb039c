import type { Reason } from '../../ground/model/reason.ts'
import { plainText } from '../../ground/model/sentence.ts'
import { isSameWindow } from '../decide/availability/same-window.ts'
import type { LatencySecond } from '../model/latency-second.ts'
import type { NodeResult, StampedEvent } from '../model/roll-event.ts'
import type { RollSpec } from '../model/roll-spec.ts'
import type { Step } from '../model/step.ts'
import { type LatencyColumns, latencyColumns } from './document/latency-columns.ts'
import { type GapDocument, gapsOf, type LoadColumns, loadColumns, loadsOf } from './document/load-columns.ts'
import { type OutageDocument, outagesOf } from './document/outages.ts'
import { type ServerTell, serverTells } from './document/server-tells.ts'
import { type SettingsDocument, settingsDocument } from './document/settings-document.ts'
import type { Judged, PlanResult } from './plan-result.ts'
import { type NodeTimes, nodeTimes } from './view/node-times.ts'
import { outcomeDocument, type RollOutcomeDocument, type WindowDocument } from './view/outcome-document.ts'
import { rollViewOf } from './view/reduce-roll.ts'
import type { NodeView, RollView, StepView } from './view/roll-view.ts'

/** The sources of a report. Only the events are required. */
interface ReportSource {
  readonly events: readonly StampedEvent[]
  /** A process works on the roll. Absent: one does, or the roll has ended. */
  readonly running?: boolean
  /** The path of the journal, for people. */
  readonly journal?: string
  /** Version of the program that began the run. */
  readonly tool?: string
  readonly spec?: RollSpec
  readonly latency?: readonly LatencySecond[]
  /** Only in a demo. */
  readonly judged?: Judged
}

interface HoldDocument {
  readonly startedAt: string
  readonly endedAt: string | null
  readonly reasons: readonly Reason[]
}

export interface StepDocument {
  readonly step: Step
  readonly startedAt: string
  readonly endedAt: string | null
  /** Includes the reasons of its holds. */
  readonly reasons: readonly Reason[]
  readonly holds: readonly HoldDocument[]
  /** `8 of 11 pods` as numbers; null where nothing was counted. */
  readonly progress: { readonly done: number; readonly total: number; readonly unit: string } | null
}

export interface NodeDocument {
  readonly name: string
  readonly startedAt: string | null
  readonly endedAt: string | null
  readonly steps: readonly StepDocument[]
  readonly times: NodeTimes | null
  readonly standing: NodeResult | null
  readonly podsMoved: number
  readonly pods: readonly {
    readonly at: string
    readonly pod: string
    readonly stage: number
    /** It was deleted, past its budget. Absent: it was evicted. */
    readonly deleted?: true
  }[]
  readonly servers: readonly ServerTell[]
}

export interface ReportWindow extends WindowDocument {
  /** A control target excuses the whole window: its cause is the prober. */
  readonly excused: boolean
  readonly servedBefore: string | null
  readonly servedAfter: string | null
}

/** The document of `-o json`, and everything else that the page shows. Stamps are ISO 8601 UTC. */
export interface ReportDocument extends RollOutcomeDocument {
  readonly v: '1.0'
  readonly run: string
  readonly cluster: string
  readonly startedAt: string | null
  /** The time of the newest event; the roll may go on. */
  readonly lastAt: string
  readonly exitCode: number | null
  readonly reasons: readonly Reason[]
  readonly next: readonly string[]
  readonly skippedSamples: number
  readonly ratePerSecond: number
  readonly baseline: { readonly sent: number; readonly p99Ms: number } | null
  /** The p99 of the worst lane, over all that the newest process of the run measured. */
  readonly p99Ms: number | null
  readonly windows: readonly ReportWindow[]
  /** The same windows, grouped by fault. */
  readonly outages: readonly OutageDocument[]
  readonly nodes: readonly NodeDocument[]
  readonly strays: readonly {
    readonly at: string
    readonly node: string
    readonly server: string
    readonly count: number
  }[]
  readonly warnings: readonly { readonly at: string; readonly text: string; readonly node: string | null }[]
  readonly notMeasured: readonly GapDocument[]
  readonly load: LoadColumns | null
  readonly journal: string | null
  readonly tool: string | null
  readonly settings: SettingsDocument | null
  readonly latency: LatencyColumns | null
  readonly plans: readonly PlanResult[]
  /** Requests a second of the prober that measured `plans`; null where there are none. */
  readonly judgedPerSecond: number | null
  /** What was left out so that the page stays small, in words. */
  readonly leftOut: readonly string[]
}

export function reportDocument(source: ReportSource): ReportDocument {
  const { events, spec } = source
  const view = rollViewOf(events)
  const loads = loadsOf(events)
  const eventsOf = Map.groupBy(events, (event) => ('node' in event ? event.node : undefined))
  const windows = windowsOf(view, events)
  const baseline = events.findLast((event) => event.type === 'baseline.ended')
  return {
    ...outcomeDocument(view, source.running),
    v: '1.0',
    run: view.run,
    cluster: view.cluster,
    startedAt: stamp(view.startedAt),
    lastAt: iso(view.lastAt),
    exitCode: view.end?.exitCode ?? null,
    reasons: view.end?.reasons ?? [],
    next: (view.end?.next ?? []).map(plainText),
    skippedSamples: view.load?.skipped ?? 0,
    ratePerSecond: loads.findLast(({ load }) => load.ratePerSecond > 0)?.load.ratePerSecond ?? 0,
    baseline: baseline === undefined ? null : { sent: baseline.sent, p99Ms: baseline.p99Ms },
    p99Ms: view.load === undefined || view.load.p99Ms === 0 ? null : view.load.p99Ms,
    windows,
    outages: outagesOf(view.windows, windows),
    nodes: view.nodes.map((node) => nodeDocument(node, view, eventsOf.get(node.name) ?? [])),
    strays: events.flatMap((e) =>
      e.type === 'stray' ? [{ at: e.at, node: e.node, server: e.server, count: e.count }] : [],
    ),
    warnings: events.flatMap((e) => (e.type === 'warning' ? [{ at: e.at, text: e.text, node: e.node ?? null }] : [])),
    notMeasured: gapsOf(loads),
    load: loadColumns(loads),
    journal: source.journal ?? null,
    tool: source.tool ?? null,
    settings: spec === undefined ? null : settingsDocument(spec),
    latency: latencyColumns(source.latency ?? []),
    plans: source.judged?.plans ?? [],
    judgedPerSecond: source.judged?.ratePerSecond ?? null,
    leftOut: [],
  }
}

function windowsOf(view: RollView, events: readonly StampedEvent[]): readonly ReportWindow[] {
  const documents = outcomeDocument(view).windows
  const noted = events.flatMap((event) =>
    event.type === 'window.opened' || event.type === 'window.closed' ? [event] : [],
  )
  return view.windows.flatMap(({ window }, index) => {
    const document = documents[index]
    if (document === undefined) return []
    const last = noted.findLast((event) => isSameWindow(window, event.window))
    const { servedBefore = null, servedAfter = null } = window
    return [{ ...document, excused: last?.excused ?? false, servedBefore, servedAfter }]
  })
}

function nodeDocument(node: NodeView, view: RollView, own: readonly StampedEvent[]): NodeDocument {
  const { name } = node
  return {
    name,
    startedAt: stamp(node.startedAt),
    endedAt: stamp(node.endedAt),
    steps: node.steps.map(stepDocument),
    times: nodeTimes(node, view.lastAt) ?? null,
    standing: view.end?.standings.find((standing) => standing.node === name) ?? node.standing ?? null,
    podsMoved: node.standing?.podsMoved ?? node.podsMoved,
    pods: own.flatMap((e) =>
      e.type === 'pod.moved'
        ? [{ at: e.at, pod: e.pod, stage: e.stage, ...(e.deleted && { deleted: e.deleted }) }]
        : [],
    ),
    servers: serverTells(own),
  }
}

function stepDocument({ step, startedAt, endedAt, reasons, holds, progress }: StepView): StepDocument {
  return {
    step,
    startedAt: iso(startedAt),
    endedAt: stamp(endedAt),
    reasons: [...reasons, ...holds.flatMap((hold) => hold.reasons)],
    holds: holds.map((hold) => ({
      startedAt: iso(hold.startedAt),
      endedAt: stamp(hold.endedAt),
      reasons: hold.reasons,
    })),
    progress: progress === undefined ? null : { done: progress.done, total: progress.total, unit: progress.unit },
  }
}

const iso = (at: number): string => new Date(at).toISOString()
const stamp = (at: number | undefined): string | null => (at === undefined ? null : iso(at))
