import type { FailureWindow } from '../../../../src/ground/model/probe.ts'
import type { Reason } from '../../../../src/ground/model/reason.ts'
import { kubectl } from '../../../../src/ground/model/sentence.ts'
import { wallMs } from '../../../../src/ground/model/time.ts'
import type { ReloadSpan } from '../../../../src/roll/model/reload-span.ts'
import type { LoadTick, NodeResult, RollEvent, StampedEvent } from '../../../../src/roll/model/roll-event.ts'
import { STEPS, type Step } from '../../../../src/roll/model/step.ts'
import { rollViewOf } from '../../../../src/roll/report/view/reduce-roll.ts'
import type { RollView } from '../../../../src/roll/report/view/roll-view.ts'

const DAY = '2026-11-21T'

/** Milliseconds since the epoch of a time of day on the day of the story. */
export const at = (time: string): number => Date.parse(`${DAY}${time}Z`)

export const load = (sent: number, failed = 0): LoadTick => ({
  sent,
  failed,
  skipped: 0,
  ratePerSecond: 100,
  p99Ms: 12.4,
  baselineP99Ms: 11.2,
  strays: 0,
})

export const RUN = '20261121T061439Z-1f0e'
export const budget: Reason = {
  code: 'BudgetExhausted',
  object: 'shop/cart-0',
  text: 'shop/cart-0, budget shop/cart needs 2 healthy, has 2 of 3',
  next: kubectl`-n shop describe pod cart-2`,
}

/** A roll told event by event. */
export class Story {
  readonly events: StampedEvent[] = []

  add(time: string, event: RollEvent): this {
    this.events.push({
      ...event,
      v: '1.0',
      seq: this.events.length,
      at: `${DAY}${time.padEnd(12, time.length === 8 ? '.000' : '0')}Z`,
    })
    return this
  }

  /** Eight nodes and a green baseline. */
  begin(nodes: readonly string[]): this {
    return this.add('06:14:39', { type: 'roll.started', run: RUN, cluster: 'prod-eu1', nodes, resumed: false })
      .add('06:14:49', { type: 'baseline.ended', sent: 1_000, p99Ms: 11.2 })
      .add('06:14:49', { type: 'load.tick', load: load(1_000) })
  }

  /** Steps one after another, each from its time to the next one's. */
  steps(node: string, times: readonly (readonly [time: string, step: Step])[]): this {
    for (const [index, [time, step]] of times.entries()) {
      this.add(time, { type: 'step.started', node, step, reasons: [{ code: 'NotRecorded', text: `${step} is due` }] })
      const end = times[index + 1]?.[0]
      if (end !== undefined)
        this.add(end, { type: 'step.ended', node, step, reasons: [{ code: 'NodeDone', text: `${step} is done` }] })
    }
    return this
  }

  get view(): RollView {
    return rollViewOf(this.events)
  }
}

export const standing = (node: string, facts: Partial<NodeResult> = {}): NodeResult => ({
  node,
  state: 'inService',
  cordoned: false,
  detached: false,
  podsMoved: 14,
  failedRequests: 0,
  text: 'back in service',
  ...facts,
})

export const untouched = (node: string): NodeResult =>
  standing(node, { state: 'notTouched', podsMoved: 0, text: 'not touched' })

/** w-1 through in 4:06: 32 s leaving, 50 s draining, 41 s away, 2:03 to return. */
export function withFirstNode(story: Story): Story {
  story.add('06:14:39', { type: 'node.started', node: 'w-1', index: 0 })
  const times = [
    '06:14:39',
    '06:14:40',
    '06:14:41',
    '06:14:42',
    '06:15:11',
    '06:16:01',
    '06:16:20',
    '06:16:42',
    '06:16:43',
  ]
  const steps = STEPS.slice(0, times.length).map((step, index): [string, Step] => [times[index] ?? '', step])
  story.steps('w-1', [...steps, ['06:17:43', 'attach'], ['06:18:15', 'soak']])
  story.add('06:18:44', { type: 'load.tick', load: load(25_600) })
  story.add('06:18:45', { type: 'step.ended', node: 'w-1', step: 'soak', reasons: [] })
  return story.add('06:18:45', { type: 'node.ended', standing: standing('w-1') })
}

/** w-2 holds in its drain: 8 of 11 pods gone, then a budget at its limit since 06:19:13. */
function withHeldNode(story: Story): Story {
  story.add('06:18:46', { type: 'node.started', node: 'w-2', index: 1 })
  story.steps('w-2', [
    ['06:18:46', 'slot'],
    ['06:18:46', 'record'],
    ['06:18:46', 'cordon'],
    ['06:18:47', 'detach'],
    ['06:18:47', 'drain'],
  ])
  story.add('06:19:10', { type: 'pod.moved', node: 'w-2', pod: 'shop/api-7c9d', stage: 2 })
  story.add('06:19:12', {
    type: 'step.changed',
    node: 'w-2',
    step: 'drain',
    done: 8,
    total: 11,
    unit: 'pods',
    stage: [2, 2],
  })
  story.add('06:19:13', { type: 'hold.started', node: 'w-2', step: 'drain', reasons: [budget], limitMs: 900_000 })
  return story.add('06:19:59', { type: 'load.tick', load: load(32_000) })
}

export const NODES = ['w-1', 'w-2', 'w-3', 'cp-1', 'cp-2', 'cp-3', 'w-4', 'w-5'] as const

/** The roll of interface 2.3: one node done, one held, six waiting. */
export const heldStory = (): Story => withHeldNode(withFirstNode(new Story().begin(NODES)))

export const failure: FailureWindow = {
  target: 'shop',
  control: false,
  lane: 'new',
  sent: 16,
  failed: 6,
  failures: { connect: 6 },
  firstError: 'connect ECONNREFUSED 10.0.0.9:443',
  lastOkAt: wallMs(at('06:30:58.190')),
  firstBadAt: wallMs(at('06:30:58.200')),
  lastBadAt: wallMs(at('06:30:58.500')),
  firstOkAt: wallMs(at('06:30:58.530')),
}

/** lb-1 forgot that w-2 is out, for 380 ms at most; `failure` fell into it. */
export const reload: ReloadSpan = {
  balancer: 'edge',
  instance: 'lb-1',
  servers: ['web/w-2'],
  nodes: ['w-2'],
  from: wallMs(at('06:30:58.140')),
  seenAt: wallMs(at('06:30:58.340')),
  to: wallMs(at('06:30:58.520')),
}
