import { type Claim, MAINTENANCE_ANNOTATION, parseClaims } from '../../ground/model/claims.ts'
import { asksToDrain } from '../../guard/decide/asks.ts'
import { causeOf, type ExplainFinding, type Explanation, ordered, type Part, together } from './finding.ts'
import { nodeBudget } from './node-budget.ts'
import { nodeClaims } from './node-claims.ts'
import { nodeCluster } from './node-cluster.ts'
import { nodeDns } from './node-dns.ts'
import { nodeGuards, nodeIngresses } from './node-objects.ts'
import { nodePods, type PodFindings } from './node-pods.ts'
import { lifeOf, nodeRoll, recordOn } from './node-roll.ts'
import type { NodeScene } from './node-scene.ts'
import { nodeState } from './node-state.ts'

type State = 'InWork' | 'LeftBehind' | 'NotReady' | 'Claimed' | 'Draining' | 'InService'

/** The order in which parts are searched for the cause. */
const PARTS: Readonly<Record<State, readonly Part[]>> = {
  InWork: ['roll', 'drain', 'guard', 'node', 'service', 'ingress', 'dns', 'budget', 'brake'],
  LeftBehind: ['roll', 'node', 'service', 'ingress', 'drain', 'guard', 'brake', 'budget', 'dns'],
  NotReady: ['node', 'roll', 'drain', 'ingress', 'service', 'guard', 'brake', 'budget', 'dns'],
  Claimed: ['ingress', 'service', 'guard', 'node', 'drain', 'brake', 'roll', 'budget', 'dns'],
  Draining: ['drain', 'guard', 'brake', 'node', 'service', 'roll', 'ingress', 'budget', 'dns'],
  InService: ['node', 'service', 'roll', 'budget', 'guard', 'ingress', 'dns', 'brake', 'drain'],
}

/** Why the node is in its state, and what keeps it from the state that is wanted. */
export function explainNode(s: NodeScene): Explanation {
  const guards = nodeGuards(s, s.guards ?? [])
  const pods = nodePods(s, guards)
  const state = stateOf(s)
  const roll = nodeRoll(s)
  const parts = [
    ...nodeState(s),
    ...nodeClaims(s),
    ...roll,
    ...ofCluster(s, state).filter((one) => roll.every(({ code, text }) => code !== one.code || text !== one.text)),
    ...nodeBudget(s),
    ...guards,
    ...nodeIngresses(s),
    ...nodeDns(s),
    ...pods.findings,
  ]
  const findings = ordered(
    together(parts).map((one) => (isLater(state, one) ? { ...one, is: 'fact' } : one)),
    PARTS[state],
  )
  const cause = causeOf(findings)
  return { state, verdict: verdictOf(s, { state, pods, cause }), findings }
}

function stateOf(s: NodeScene): State {
  const record = recordOn(s)
  if (record !== undefined) {
    if ('unreadable' in record || lifeOf(s, record.run) === 'gone') return 'LeftBehind'
    return 'InWork'
  }
  if (s.run?.running === true && s.run.node === 'inWork') return 'InWork'
  if (s.node.ready !== 'True') return 'NotReady'
  const asks = asksToDrain(s.node) !== undefined
  const word = parseClaims(s.node.annotations[MAINTENANCE_ANNOTATION])
  if (word.kind === 'unreadable') return 'Claimed'
  if (word.kind === 'claimed' && !(asks && word.claims.every(makesRoom))) return 'Claimed'
  return asks ? 'Draining' : 'InService'
}

/** An IngressDaemonSet and a NodeGuard claim a node that is to be drained, and withdraw that once it is not. */
const makesRoom = ({ owner }: Claim): boolean => owner.startsWith('ingress/') || owner.startsWith('guard/')

/** For a node that is out already, findings that only keep nodes from leaving do not matter. */
const isLater = (state: State, { part, code }: ExplainFinding): boolean =>
  (part === 'dns' && state !== 'InService') ||
  (part === 'budget' && state !== 'InService' && state !== 'InWork') ||
  (code === 'VolumeAttached' && state === 'InService') ||
  (state === 'Draining' && ((part === 'service' && code === 'Maintenance') || code === 'OthersAtWork'))

/** The same, unless the roll that has the node out is held because of them. */
const ofCluster = (s: NodeScene, state: State): readonly ExplainFinding[] =>
  nodeCluster(s).map((one) =>
    OF_CLUSTER.includes(one.code) && state !== 'InService' && state !== 'Draining' ? { ...one, is: 'fact' } : one,
  )

const OF_CLUSTER: readonly string[] = ['EtcdQuorum', 'LastApiServer', 'KuredLockHeld']

interface Judged {
  readonly state: State
  readonly pods: PodFindings
  readonly cause: ExplainFinding | undefined
}

function verdictOf(s: NodeScene, { state, pods, cause }: Judged): string {
  const { name } = s.node
  const because = cause === undefined ? '' : `: ${cause.text}`
  switch (state) {
    case 'InWork':
      return `${name} is being rolled${because}`
    case 'LeftBehind':
      return `${name} is out and nothing that is seen will bring it back${because}`
    case 'NotReady':
      return `${name} serves nothing${because}`
    case 'Claimed':
      return `${name} is kept out until its claims are withdrawn${because}`
    case 'Draining':
      return `${drainText(s, pods, cause !== undefined)}${because}`
    case 'InService':
      return inService(name, cause)
  }
}

function drainText(s: NodeScene, { left, blocked }: PodFindings, isHeld: boolean): string {
  const asks = `${s.node.name} ${asksToDrain(s.node) ?? 'is to be drained'}`
  if (s.pods === undefined) return `${asks}, and its pods are not known`
  if (blocked > 0) return `${asks} and waits for ${blocked === 1 ? '1 pod' : `${blocked} pods`}`
  if (left === 0)
    return isHeld ? `${asks} and drained, and is not done` : `${asks} and drained, and stays so until it is uncordoned`
  return `${asks}; nothing keeps ${left === 1 ? 'its 1 pod' : `its ${left} pods`} there, and nothing that is seen evicts ${left === 1 ? 'it' : 'them'}`
}

function inService(name: string, cause: ExplainFinding | undefined): string {
  if (cause === undefined) return `${name} is in service; nothing takes it out`
  if (cause.code === 'MarkLeft') return `${name} is in service, and no new pod is placed on it: ${cause.text}`
  if (cause.part === 'service' || cause.part === 'node') return `${name} is Ready and does not serve: ${cause.text}`
  if (cause.part === 'roll') return `${name} is in service and not next: ${cause.text}`
  return `${name} is in service; nothing takes it out, and it could not leave now: ${cause.text}`
}
