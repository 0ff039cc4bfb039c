import { familyLines, type MetricFamily, type MetricSample } from '../../../ground/text/prometheus-text.ts'
import { countedFailedOf } from '../../decide/availability/not-counted.ts'
import type { NodeResult, RollOutcome } from '../../model/roll-event.ts'
import type { StopUse } from '../../model/stop-use.ts'
import {
  currentHold,
  currentStep,
  type HoldView,
  type NodeView,
  type RollView,
  type StepView,
} from '../../report/view/roll-view.ts'

interface Totals {
  readonly sent: number
  readonly failed: number
  readonly retried: number
  readonly skipped: number
}

/** Counters that never go down while a process lives. */
export interface RollCounts {
  /** Absent: nothing was measured yet. */
  readonly load?: Totals
  /** Requests that this process sent to each target. */
  readonly sentOf: ReadonlyMap<string, number>
  /** Failed requests of each target. */
  readonly failedOf: ReadonlyMap<string, number>
}

export const NO_COUNTS: RollCounts = { sentOf: new Map(), failedOf: new Map() }

/** The counts after one more event. A control can still excuse a failure, but a counter that goes down would mean a restart. */
export function countsOf({ load, windows }: RollView, before: RollCounts): RollCounts {
  const targets = new Set([...before.failedOf.keys(), ...windows.map(({ window }) => window.target)])
  const failedOf = [...targets].map((target) => {
    const failed = countedFailedOf(windows.map(({ window }) => window).filter((window) => window.target === target))
    return [target, Math.max(failed, before.failedOf.get(target) ?? 0)] as const
  })
  return { ...measured(load, before), sentOf: before.sentOf, failedOf: new Map(failedOf) }
}

/** The requests of a baseline do not count, and the totals begin at 0 after it. */
function measured(load: RollView['load'], before: RollCounts): Pick<RollCounts, 'load'> {
  if (load === undefined) return {}
  const { sent, failed, retried = 0, skipped } = load.inBaseline === true ? NOTHING : load
  const old = before.load ?? NOTHING
  return {
    load: {
      sent: Math.max(sent, old.sent),
      failed: Math.max(failed, old.failed),
      retried: Math.max(retried, old.retried),
      skipped: Math.max(skipped, old.skipped),
    },
  }
}

const NOTHING: Totals = { sent: 0, failed: 0, retried: 0, skipped: 0 }

interface MetricTimes {
  /** By the clock of the events. */
  readonly at: number
  /** By the clock of the machine. */
  readonly updatedAt: number
}

/** The metrics in Prometheus' text format. Only the current node is a label: otherwise each node would be a series. */
export function rollMetrics(view: RollView, counts: RollCounts, times: MetricTimes): string {
  const { run, cluster: roll, context, version, startedAt } = view
  const info = run === '' ? [] : [{ labels: { run, roll, context, version }, value: 1 }]
  return [
    ...family({ name: 'info', help: 'The run, its roll file, its cluster and the version; always 1.' }, info),
    ...family({ name: 'start_timestamp_seconds', help: 'When the run began, in Unix time.' }, seconds(startedAt)),
    ...family(
      { name: 'updated_timestamp_seconds', help: 'When these metrics were written, in Unix time.' },
      seconds(times.updatedAt),
    ),
    ...nodeFamilies(view),
    ...stepFamilies(view, times.at),
    ...requestFamilies(view, counts),
    ...stopFamilies(view),
    ...endFamilies(view),
    '',
  ].join('\n')
}

function nodeFamilies({ nodes, end }: RollView): readonly string[] {
  const states = nodes.map((node) => resultOf(node, end)?.state)
  const failed = states.filter((state) => state === 'out' || state === 'gone' || state === 'restored')
  return [
    ...family({ name: 'nodes', help: 'Nodes of the roll.' }, [{ value: nodes.length }]),
    ...family({ name: 'nodes_done', help: 'Nodes that are back in service after their reboot.' }, [
      { value: states.filter((state) => state === 'inService').length },
    ]),
    ...family(
      {
        name: 'nodes_failed',
        help: 'Nodes that were left out of service after a failure, that are gone, or that were put back without their reboot. The current node does not count.',
      },
      [{ value: failed.length }],
    ),
  ]
}

const resultOf = ({ name, state, standing }: NodeView, end: RollView['end']): NodeResult | undefined =>
  end?.standings.find(({ node }) => node === name) ?? (state === 'ended' ? standing : undefined)

interface InWork {
  readonly node: string
  readonly step: StepView
  readonly hold: HoldView | undefined
}

function stepFamilies({ nodes, end }: RollView, at: number): readonly string[] {
  const inWork = end === undefined ? nodes.flatMap(inWorkOf) : []
  const held = inWork.flatMap(({ node, step: { step }, hold }) => (hold === undefined ? [] : [{ node, step, hold }]))
  const reasons = held.flatMap(({ hold }) => hold.reasons.map(({ code }) => code))
  return [
    ...family(
      { name: 'step_seconds', help: 'For how long the current node has been in its step.' },
      inWork.map(({ node, step: { step, startedAt } }) => ({ labels: { node, step }, value: since(startedAt, at) })),
    ),
    ...family({ name: 'holding', help: 'Whether the roll is held.' }, [{ value: held.length === 0 ? 0 : 1 }]),
    ...family(
      { name: 'hold_seconds', help: 'For how long the roll has been held in this step.' },
      held.map(({ node, step, hold }) => ({ labels: { node, step }, value: since(hold.startedAt, at) })),
    ),
    ...family(
      { name: 'hold_reason', help: 'One series for each reason of the current hold; the value is always 1.' },
      reasons.map((reason) => ({ labels: { reason }, value: 1 })),
    ),
  ]
}

function inWorkOf(node: NodeView): readonly InWork[] {
  const step = node.state === 'inWork' ? currentStep(node) : undefined
  return step === undefined ? [] : [{ node: node.name, step, hold: currentHold(step) }]
}

const since = (startedAt: number, at: number): number => Math.max(0, Math.round(at - startedAt)) / 1_000

function requestFamilies({ load, strays }: RollView, counts: RollCounts): readonly string[] {
  const { load: counted, sentOf, failedOf } = counts
  // A ratio needs the failures of a target even while there are none.
  const failed = new Map([...[...sentOf.keys()].map((target) => [target, 0] as const), ...failedOf])
  const count = (value: number | undefined): readonly MetricSample[] => (value === undefined ? [] : [{ value }])
  return [
    ...counter('requests_total', 'Requests that the probe sent after its baseline.', count(counted?.sent)),
    ...counter(
      'requests_failed_total',
      'Of these, the ones that failed. A request without an answer is not counted if a control target (a URL that does not depend on the cluster) gave no answer at that time either.',
      count(counted?.failed),
    ),
    ...counter(
      'requests_retried_total',
      'Requests that the probe sent a second time, because the server had closed their kept connection before it answered. The second result counts.',
      count(counted?.retried),
    ),
    ...counter(
      'requests_skipped_total',
      'Requests that the probe did not send, because it was itself running late.',
      count(counted?.skipped),
    ),
    ...counter(
      'target_requests_total',
      'Requests that were sent to a target after the baseline; begins again at 0 when the run is resumed.',
      byTarget(sentOf),
    ),
    ...counter(
      'target_requests_failed_total',
      'Failed requests to a target. Failures that follow each other are grouped into a window, and this counter rises only when the window is reported.',
      byTarget(failed),
    ),
    ...counter(
      'strays_total',
      'Requests that a balancer sent to a node after it had confirmed that the node is out.',
      count(strays.reduce((sum, stray) => sum + stray.count, 0)),
    ),
    ...family(
      {
        name: 'latency_p99_seconds',
        help: 'The 99th percentile of the latency since this process began, over new or over kept connections, whichever is slower.',
      },
      seconds(load?.p99Ms),
    ),
    ...family(
      { name: 'latency_baseline_p99_seconds', help: 'The same at the end of the baseline; 0 before.' },
      seconds(load?.baselineP99Ms),
    ),
    ...family(
      { name: 'not_measured_seconds', help: 'Time in which the probe measured nothing.' },
      seconds(load?.notMeasuredMs),
    ),
  ]
}

const byTarget = (counts: ReadonlyMap<string, number>): readonly MetricSample[] =>
  [...counts].map(([target, value]) => ({ labels: { target }, value }))

const OUTCOMES: readonly RollOutcome[] = ['completed', 'stopped', 'aborted', 'held', 'interrupted']

/** Requests, shares of requests and seconds, each in the unit of its rule. */
function stopFamilies({ load }: RollView): readonly string[] {
  const uses = load?.stop ?? []
  const sample = (use: StopUse, amount: number): MetricSample => ({
    labels: {
      rule: use.rule,
      target: 'target' in use ? use.target : undefined,
      slower_than: use.rule === 'latency' ? String(use.slowerThanMs / 1_000) : undefined,
    },
    value: use.rule === 'downtime' ? amount / 1_000 : amount,
  })
  return [
    ...family(
      { name: 'stop_rule_used', help: 'How much of the allowance of a stop rule has been used.' },
      uses.map((use) => sample(use, use.used)),
    ),
    ...family(
      {
        name: 'stop_rule_allowed',
        help: 'What a stop rule of the roll file allows: requests, a share of them, or seconds.',
      },
      uses.map((use) => sample(use, use.allowed)),
    ),
  ]
}

const endFamilies = ({ end }: RollView): readonly string[] => [
  ...family(
    { name: 'outcome', help: 'How the run ended: 1 for this outcome, 0 for each other; absent before its end.' },
    end === undefined
      ? []
      : OUTCOMES.map((outcome) => ({ labels: { outcome }, value: outcome === end.outcome ? 1 : 0 })),
  ),
  ...family(
    { name: 'exit_code', help: 'The exit code of the run; absent before its end.' },
    end === undefined ? [] : [{ value: end.exitCode }],
  ),
]

const seconds = (ms: number | undefined): readonly MetricSample[] => (ms === undefined ? [] : [{ value: ms / 1_000 }])

const family = ({ name, help }: Omit<MetricFamily, 'type'>, samples: readonly MetricSample[]): readonly string[] =>
  familyLines({ name: `evenkeel_roll_${name}`, help, type: 'gauge' }, samples)

const counter = (name: string, help: string, samples: readonly MetricSample[]): readonly string[] =>
  familyLines({ name: `evenkeel_roll_${name}`, help, type: 'counter' }, samples)
