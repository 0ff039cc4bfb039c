import type { Plan } from './article-arguments.ts'
import { markdownTable, shareText } from './article-table.ts'
import type { PlanRun } from './plan-runs.ts'
import type { StreamDocument } from './stream-document.ts'

const HEAD = [
  'plan',
  'failed requests',
  'share',
  'time',
  'a node does not come back',
  'killed half-way',
  'the load balancer has no API',
]

interface Way {
  readonly plan: Plan
  readonly does: string
  readonly troubles: Troubles
}

/** What cannot be counted in a run. docs/measurements.md says for each sentence how it was checked. */
interface Troubles {
  readonly notBack: string
  readonly killed: string
  readonly noApi: string
}

const WITHOUT_BALANCER: Troubles = {
  notBack: 'the script stops at its time limit; the node stays cordoned',
  killed: 'the node can stay cordoned; no record says so',
  noApi: 'no difference: the plan does not use it',
}

const WITH_BALANCER: Troubles = {
  notBack: 'the script stops at its time limit; the node stays cordoned and in `maint`',
  killed: 'the node can stay cordoned and in `maint`; no record says so',
  noApi: 'the script cannot take the node out of the load balancer',
}

const KURED: Troubles = {
  notBack: 'the node stays cordoned and holds the lock, so no other node is rebooted',
  killed: 'its pod starts again, uncordons the node, and begins with that node anew',
  noApi: 'no difference: kured does not use it',
}

const EVENKEEL: Troubles = {
  notBack: 'the roll stops, and the node stays out of the load balancer; after its repair, `resume` puts it back',
  killed: '`resume` continues at that step, `abort` puts the node back',
  noApi: 'the agent answers the health checks of the load balancer',
}

const WAYS: readonly Way[] = [
  { plan: 'cordon', does: 'cordon, reboot, uncordon', troubles: WITHOUT_BALANCER },
  { plan: 'kured', does: 'kured, and a service that shuts down cleanly', troubles: KURED },
  { plan: 'naive', does: 'drain, reboot, uncordon', troubles: WITHOUT_BALANCER },
  { plan: 'balancer', does: "the same, and the script sets HAProxy's state", troubles: WITH_BALANCER },
  { plan: 'service', does: 'the same, and a service that shuts down cleanly', troubles: WITH_BALANCER },
  { plan: 'staged', does: 'the same, and pods with volumes leave first', troubles: WITH_BALANCER },
  { plan: 'evenkeel', does: 'evenkeel roll, and a service that shuts down cleanly', troubles: EVENKEEL },
]

const HOW_TO_KURED =
  'kured was not measured. To add its row: npm run article -- --kured DIR, with a checkout of github.com/kubereboot/kured'

/** One line for each of the seven ways that was run, by the requests to `whoami`, by which every plan is judged. */
export function sevenWays(runs: readonly PlanRun[]): string {
  const rows = WAYS.flatMap((way) => {
    const made = runs.filter(({ plan }) => plan === way.plan)
    return made.length === 0 ? [] : [rowOf(way, made)]
  })
  const table = markdownTable(HEAD, rows)
  return runs.some(({ plan }) => plan === 'kured') ? table : `${table}\n\n${HOW_TO_KURED}`
}

/** Void runs count only where no run is valid, and the row says so. */
function rowOf({ plan, does, troubles }: Way, made: readonly PlanRun[]): readonly string[] {
  const valid = made.filter((run) => !run.void)
  const counted = valid.length === 0 ? made : valid
  const sum = (of: (stream: StreamDocument) => number): number =>
    counted.reduce((total, { streams }) => total + (streams.whoami === undefined ? 0 : of(streams.whoami)), 0)
  const total = {
    failedRequests: sum(({ failedRequests }) => failedRequests),
    sentRequests: sum(({ sentRequests }) => sentRequests),
  }
  const runsText = counted.length === 1 ? '' : `, ${counted.length} runs`
  const voidText = valid.length === 0 ? ', void' : ''
  const failed = `${total.failedRequests} of ${total.sentRequests}${runsText}${voidText}`
  return [
    `${plan}: ${does}`,
    failed,
    shareText(total),
    timeText(counted),
    troubles.notBack,
    troubles.killed,
    troubles.noApi,
  ]
}

function timeText(runs: readonly PlanRun[]): string {
  const seconds = runs.map((run) => Math.round(run.seconds))
  const [least, most] = [Math.min(...seconds), Math.max(...seconds)]
  return least === most ? `${least} s` : `${least} to ${most} s`
}
