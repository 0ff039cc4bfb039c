import type { Reason } from '../../ground/model/reason.ts'
import type { AgentDecision } from './decide.ts'
import { type IngressReading, ingressName } from './ingress-reading.ts'

type IngressAnswer = Pick<AgentDecision, 'answer' | 'reasons'>

/**
 * What is answered at the ports of one IngressDaemonSet, and why. Whatever takes the node out takes its pods out as well.
 *
 * The counts go on to count while the controller of Deployments has not seen the last write: the API server takes a changed
 * annotation for a new generation, so that one edit would otherwise fail the checks of all nodes at once.
 *
 * Law: a node answers up for an IngressDaemonSet only while enough of its pods there are ready and no update of them is due.
 */
export function ingressAnswer(node: IngressAnswer, reading: IngressReading): IngressAnswer {
  if (node.answer !== 'up') return { answer: node.answer, reasons: node.reasons }
  const leaving = leavingReason(reading)
  if (leaving !== undefined) return { answer: 'drain', reasons: [leaving] }
  const { ready, order: { minReadyPods: enough } = NO_ORDER } = reading
  const name = ingressName(reading)
  if (ready >= enough)
    return {
      answer: 'up',
      reasons: [{ code: 'IngressServes', object: name, text: `${ready} pods of ${name} are ready here` }],
    }
  const text = `${name} must have ${enough} ready ${enough === 1 ? 'pod' : 'pods'} here, and has ${ready}`
  return { answer: 'down', reasons: [{ code: 'IngressPodsMissing', object: name, text }] }
}

/** The number of pods is not known: a missing order is itself a reason to leave. */
const NO_ORDER = { minReadyPods: Number.POSITIVE_INFINITY }

function leavingReason(reading: IngressReading): Reason | undefined {
  const object = ingressName(reading)
  const { deployment, namespace, order, unreadable = order === undefined ? 'it is missing' : undefined } = reading
  if (reading.deleting)
    return { code: 'IngressLeaves', object, text: `the Deployment of ${object} for this node is being deleted` }
  if (reading.isMarked)
    return { code: 'IngressUpdateDue', object, text: `the pods of ${object} on this node are about to change` }
  if (unreadable === undefined) return undefined
  return {
    code: 'IngressHealthUnreadable',
    object,
    text: `the annotation evenkeel.dev/health-check of Deployment ${namespace}/${deployment} cannot be read: ${unreadable}`,
    next: 'let the controller write it: see that evenkeel controller --ingress runs and is of this release',
  }
}
