import { formatDuration } from '../../../ground/model/duration.ts'
import { firstOf } from '../../../ground/model/first-of.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { checksText, leaveMs, returnMs } from '../../decide/detection-time.ts'
import type { Noticing } from '../../decide/evidence.ts'
import type { ServerReading } from '../../model/balancer.ts'
import type { CheckReading, HealthCheckSpec } from '../../model/health-check.ts'
import type { OwnReadingWords } from '../actuator.ts'

type Asked = Extract<CheckReading, { readonly asked: true }>
type Unheard = ServerReading & { readonly nodeCheck: Asked }

/** The health check had no answer, or was not asked yet. */
export const isUnheard = (reading: ServerReading | undefined): reading is Unheard =>
  reading?.nodeCheck?.asked === true && reading.nodeCheck.answer === 'unheard'

export const checkUnknown = ({ ref, nodeCheck }: Unheard, balancer: string): Reason => ({
  code: 'CheckUnknown',
  object: ref.server,
  text: `what the health check of ${ref.server} at ${balancer} answers is not known: ${nodeCheck.text}`,
})

interface Good {
  readonly spec: HealthCheckSpec
  /** It takes longer than the roll file says. */
  readonly isLate: boolean
}

export function checkStaysGood({ ref }: ServerReading, { spec: { mark, markDelayMs }, isLate }: Good): Reason {
  const what = `${mark.kind} ${mark.key}`
  if (!isLate)
    return {
      code: 'CheckFollows',
      object: ref.server,
      text: `${ref.server} has the ${what}, and its health check does not fail yet`,
    }
  return {
    code: 'CheckStaysGood',
    object: ref.server,
    text: `${ref.server} has the ${what}, and its health check still passes after ${formatDuration(markDelayMs)}`,
    next: `find out why the health check of ${ref.server} does not follow the ${what}`,
  }
}

export function detectionTime(server: string, way: Noticing['way'], { checks }: HealthCheckSpec): Reason {
  const waitMs = way === 'out' ? leaveMs(checks) : returnMs(checks)
  const what = way === 'out' ? `${server} leaves` : `${server} is back`
  return {
    code: 'DetectionTime',
    object: server,
    text: `${what}: ${checksText(way, checks)} has noticed after ${formatDuration(waitMs)} at the latest`,
  }
}

/** The words for a reading, without the roll file. */
export const checkWords: OwnReadingWords = {
  areOf: ({ nodeCheck }) => nodeCheck !== undefined,
  balancerTells: false,
  // Silence takes no node out. A refusal does, whatever its cause.
  checked: ({ nodeCheck }) => (nodeCheck?.asked === true && nodeCheck.answer === 'refused' ? 'down' : 'in'),
  goesByMarks: () => 'no',
  isNews: (was, is) => answerOf(was) !== answerOf(is),
  findings: (node, { instance, reading }) => {
    if (isUnheard(reading)) {
      const { text } = checkUnknown(reading, instance.balancer)
      return [{ severity: 'error', code: 'CheckUnknown', node: node.name, text, fix: FIX }]
    }
    if (reading.ownState !== 'ready' || reading.nodeCheck?.asked !== true || reading.nodeCheck.answer === 'good')
      return []
    return [
      {
        severity: 'warning',
        code: 'CheckRefused',
        node: node.name,
        text: `the health check of ${node.name} at ${instance.balancer} fails before the roll does anything (${reading.nodeCheck.text}): the node is put back without waiting for it`,
        fix: `bring it up if ${node.name} should serve`,
      },
    ]
  },
  ofInstance: (instance, servers) => {
    if (servers.some(({ nodeCheck }) => nodeCheck?.asked === false)) return [unasked(instance)]
    const unheard = servers.filter(isUnheard)
    const [first] = unheard
    if (first === undefined) return []
    const names = firstOf(unheard.map(({ ref }) => ref.server))
    return [
      {
        severity: unheard.length === servers.length ? 'error' : 'warning',
        code: 'CheckUnknown',
        text: `what the health check of ${names} at ${instance} answers is not known: ${first.nodeCheck.text}`,
        fix: FIX,
      },
    ]
  },
}

const FIX =
  'correct "check" of the roll file, and let this machine reach it; "nodes" there leaves out nodes that do not serve'

const unasked = (instance: string): PlanFinding => ({
  severity: 'warning',
  code: 'RefusalNotSeen',
  text: `the roll does not call the health check of ${instance}: it waits from the mark on, and does not see whether the check fails`,
  fix: 'write "check" under "healthCheck", if this machine reaches it',
})

const answerOf = ({ nodeCheck }: ServerReading): string | undefined =>
  nodeCheck?.asked === true ? nodeCheck.answer : undefined
