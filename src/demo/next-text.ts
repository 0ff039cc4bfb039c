import { formatDuration } from '../ground/model/duration.ts'
import { countOf, countText } from '../ground/text/count-text.ts'
import type { DemoCluster } from './demo-actions.ts'
import type { PlanOutcome } from './plan-outcome.ts'

/** What the figures mean, and what to do with a cluster of one's own. */
export function nextText(outcomes: readonly PlanOutcome[], program: string): readonly string[] {
  const plans = outcomes.length === 1 ? 'One plan' : `${outcomes.length} plans, each on a new cluster`
  return [
    `${plans}, same traffic: 100/s, half of it over kept connections.`,
    'at 1/s: what a check once a second would have counted, on average.',
    ...busyText(outcomes),
    '',
    ...outcomes.filter(({ name }) => name === 'evenkeel').map(verdictText),
    'On your cluster:',
    `  ${program} probe https://app.example.com/      what your clients see now`,
    `  ${program} roll -f roll.yaml --dry-run         the plan: checks everything, changes nothing`,
    'docs/roll.md says what it does, docs/roll-file.md what the file can say.',
  ]
}

/** After such a stall a request of several hops may fail for want of a processor. */
const STALLED_MS = 200

/** Empty: it was not busy. */
export function busyText(outcomes: readonly Pick<PlanOutcome, 'stalledMs'>[]): readonly string[] {
  const longestMs = Math.max(...outcomes.map(({ stalledMs }) => stalledMs))
  if (longestMs < STALLED_MS) return []
  return [`This machine was busy: the clusters stood still for up to ${formatDuration(longestMs)} at a time.`]
}

const verdictText = ({ failedRequests, sentRequests, retriedRequests = 0, failure }: PlanOutcome): string =>
  failure === undefined
    ? `evenkeel rebooted every node; ${countText(failedRequests)} failed of ${countOf(sentRequests, 'request')}${retriedRequests === 0 ? '' : `, ${countText(retriedRequests)} retried`}.`
    : `evenkeel did not finish: ${failure}`

/** The cluster is still up. */
export function keptText(cluster: DemoCluster, program: string): readonly string[] {
  const { url, kubeconfig, balancerSocket, rollFile, stateDir } = cluster
  return [
    '',
    `The cluster stays up until Ctrl-C. Its service: ${url}`,
    `  kubeconfig         ${kubeconfig}`,
    `  balancer's socket  ${balancerSocket}`,
    'Try, in another terminal:',
    `  kubectl --kubeconfig ${kubeconfig} get nodes,pods -o wide`,
    `  ${program} probe ${url}`,
    `  ${program} roll -f ${rollFile} --kubeconfig ${kubeconfig} --state-dir ${stateDir}`,
  ]
}
