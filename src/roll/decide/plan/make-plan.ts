import type { Access } from '../../../ground/model/access.ts'
import { isControlPlane, type Node } from '../../../ground/model/node.ts'
import { refKey } from '../../../ground/model/object-ref.ts'
import type { PlanFinding } from '../../../ground/model/plan-finding.ts'
import type { Pod } from '../../../ground/model/pod.ts'
import { present } from '../../../ground/model/present.ts'
import { kubectl, say } from '../../../ground/model/sentence.ts'
import { matchNodeServers, serversOfNoNode } from '../../../service/decide/match-node-servers.ts'
import { BUDGET_CONFIG_MAP } from '../../../service/model/budget-object.ts'
import type { PlannedHost, PlannedNode, RollPlan } from '../../model/roll-plan.ts'
import { memberNodes } from '../control-plane.ts'
import { classifyPod, DRAIN_STAGES, GUARD_STAGE } from '../drain/classify-pod.ts'
import { apiServers } from './api-servers.ts'
import { withBalancerAdvice } from './balancer-advice.ts'
import { controlPlaneFindings, orderFindings } from './control-plane-findings.ts'
import { daemonFindings, shutOutFindings } from './daemon-findings.ts'
import { dataPortFindings } from './data-port-findings.ts'
import { dnsFindings } from './dns-findings.ts'
import { hostsToRoll } from './hosts-to-roll.ts'
import { inspectionFindings } from './inspection-findings.ts'
import { leftOutFindings } from './left-out-findings.ts'
import { leftoverFindings } from './leftover-findings.ts'
import { maxOutFindings } from './max-out-findings.ts'
import { budgetFindings, nodeChecks, nodesAway } from './node-findings.ts'
import { nodesToRoll } from './nodes-to-roll.ts'
import { othersWorkFindings } from './others-work-findings.ts'
import { isOwnPod, ownPodFindings } from './own-pod-findings.ts'
import type { PlanSnapshot } from './plan-snapshot.ts'
import { movingPods, podFindings } from './pod-findings.ts'
import { politeFindings } from './polite-findings.ts'
import { poolFindings } from './pool-findings.ts'
import { rebootLockFindings } from './reboot-lock-findings.ts'
import { roomFindings } from './room/room-findings.ts'
import { sameProcessFindings } from './same-process.ts'
import { selectionFindings } from './selection-findings.ts'
import { heldSlotFindings, slotFindings } from './slot-findings.ts'
import { strangeBackends } from './strange-backends.ts'

/** What a roll would do, and everything that forbids it. Pure. */
export function makePlan(s: PlanSnapshot): RollPlan {
  const { spec, cluster } = s
  const toRoll = nodesToRoll(s)
  const { nodes } = toRoll
  const { hosts, skipped } = hostsToRoll(s, toRoll)
  const podsOf = Map.groupBy(cluster.pods, ({ nodeName = '' }) => nodeName)
  const podsHere = nodes.map(({ name }) => podsOf.get(name) ?? [])
  const checks = [...clusterChecks(s, toRoll), ...nodes.flatMap((node) => nodeChecks(s, node))]
  const pods = podsHere.flat().filter((pod) => !isOwnPod(s, pod))
  const ofPods = [
    ...podFindings(s, pods),
    ...roomFindings(s, movingPods(s, pods)),
    ...ownPodFindings(s, podsHere.flat()),
  ]
  const named = new Set(ofPods.flatMap((finding) => finding.pods ?? []))
  return {
    cluster: s.clusterName,
    nodes: nodes.map((node, index) => plannedNode(s, node, podsHere[index] ?? [])),
    ...present({ hosts }),
    ...(spec.hosts?.order === 'first' ? { hostsFirst: true as const } : {}),
    skipped: [...toRoll.skipped, ...skipped],
    unmatchedServers: strangers(s),
    findings: unique([...checks.flat(), ...ofPods]).filter(isOfRoll(toRoll, hosts)),
    load: (spec.probe?.targets ?? []).map(({ name, url, ratePerSecond, control }) => ({
      name,
      url,
      ratePerSecond,
      control,
    })),
    ...present({ stop: spec.stop, members: memberNodes(cluster.pods) }),
    ...(s.spec.parallel === undefined ? {} : { parallel: s.spec.parallel.nodes }),
    ...(spec.reboot.kuredLock === undefined ? {} : { kuredLock: refKey(spec.reboot.kuredLock) }),
    checksPassed:
      checks.filter((found) => found.length === 0).length + pods.filter((pod) => !named.has(refKey(pod))).length,
  }
}

type Check = readonly PlanFinding[]

type ToRoll = ReturnType<typeof nodesToRoll>

/** Where nothing needs a reboot no node is begun, so only findings that make this answer doubtful count. */
const isOfRoll =
  ({ nodes, skipped }: ToRoll, hosts: readonly PlannedHost[] = []) =>
  ({ severity }: PlanFinding): boolean =>
    severity === 'error' || nodes.length + hosts.length > 0 || skipped.length === 0

function clusterChecks(s: PlanSnapshot, { nodes, findings }: ToRoll): readonly Check[] {
  // Where lists are forbidden none was read, and every node would seem to be missing.
  const listed = !s.forbidden.some(({ verb }) => verb === 'list')
  return [
    [
      ...s.forbidden.map((access) => forbidden(access, s.spec.slots.namespace)),
      ...(s.spared ?? []).map(spared),
      ...(s.unreadByGates ?? []).map(unreadByGate),
    ],
    [
      ...slotFindings(s.spec.slots.namespace, s.slotRefusal),
      ...heldSlotFindings(s.slots),
      ...maxOutFindings(s.spec, s.budgetObject, s.cluster.nodes.length),
    ],
    listed ? selectionFindings(s.spec.nodes, s.cluster.nodes) : [],
    ...(s.needs === undefined ? [] : [findings]),
    ...s.inspections.map((inspection) => inspectionFindings(inspection, apiServers(s))),
    sameProcessFindings(withBalancers(s)),
    strangeBackends(s),
    leftOutFindings(s, nodes),
    dataPortFindings(s, nodes),
    s.hostFindings.map(withBalancerAdvice),
    budgetFindings(s).filter((finding) => nodes.some((node) => node.name !== finding.node)),
    [...daemonFindings(s), ...shutOutFindings(s, nodes)],
    dnsFindings(s, nodes),
    [...controlPlaneFindings(s.cluster.pods, nodes, nodesAway(s)), ...orderFindings(s.spec.nodes, nodes)],
    leftoverFindings(s, nodes),
    rebootLockFindings(s.cluster.workloads, { ...s, nodes: s.cluster.nodes }),
    othersWorkFindings(nodes, s.spec),
    poolFindings(s, nodes),
    ...(s.spec.drain.polite === undefined ? [] : [politeFindings(s, nodes)]),
  ]
}

const withBalancers = ({ instances, inspections }: PlanSnapshot) =>
  inspections.flatMap((inspection) => {
    const asked = instances.find(({ instance }) => instance === inspection.instance)
    return asked === undefined ? [] : [{ balancer: asked.balancer, inspection }]
  })

export function forbidden(access: Access, slotsNamespace: string): PlanFinding {
  const { namespace } = access
  return {
    severity: 'error',
    code: 'Forbidden',
    text: `this identity is not allowed to ${accessText(access)}`,
    fix: say`${kubectl`apply -f deploy/${fileOf(access)}`}, and bind it to this identity${namespace === slotsNamespace ? roleOf(namespace) : ''}`,
  }
}

const unreadByGate = (access: Access): PlanFinding => ({
  severity: 'error',
  code: 'Forbidden',
  text: `a gate cannot be checked: this identity is not allowed to ${accessText(access)}`,
  fix: 'grant this right to the identity, or remove the gate from "gates"',
})

function fileOf({ verb, resource }: Access): string {
  if (verb === 'delete' && resource === 'pods') return 'roll-delete-rbac.yaml'
  if (resource === 'daemonsets' && (verb === 'get' || verb === 'patch')) return 'roll-kured-rbac.yaml'
  const isOfPolite = (verb === 'patch' && resource === 'pods') || (verb === 'watch' && resource === 'services')
  return isOfPolite ? 'roll-polite-rbac.yaml' : 'roll-rbac.yaml'
}

/**
 * The rights for DNS, all of them: without the Corefile the cluster domain is not known for sure, without the others no node
 * asks.
 */
export function spared(access: Access): PlanFinding {
  if (access.name?.startsWith('evenkeel-') === true) return budgetSpared(access)
  if (access.resource === 'persistentvolumes') return volumesSpared(access)
  if (access.subresource === 'status') return conditionsSpared(access)
  const [lost, file] =
    access.resource === 'configmaps'
      ? ['its Service and zone are found another way, or set by dns.service and dns.zone', 'roll-rbac.yaml']
      : ['it is asked only from here', 'roll-dns-rbac.yaml']
  return {
    severity: 'warning',
    code: 'DnsForbidden',
    text: `less of DNS will be known, because this identity is not allowed to ${accessText(access)}: ${lost}`,
    fix: say`${kubectl`apply -f deploy/${file}`}, and bind it to this identity`,
  }
}

const conditionsSpared = (access: Access): PlanFinding => ({
  severity: 'warning',
  code: 'ConditionsForbidden',
  text: `nodes will not say by their conditions what the roll does, because this identity is not allowed to ${accessText(access)}`,
  fix: say`${kubectl`apply -f deploy/roll-announce-rbac.yaml`}, and bind it to this identity`,
})

const volumesSpared = (access: Access): PlanFinding => ({
  severity: 'warning',
  code: 'VolumesForbidden',
  text: `which pods are bound to their node by a volume is not known, because this identity is not allowed to ${accessText(access)}`,
  fix: say`${kubectl`apply -f deploy/roll-rbac.yaml`}, and bind it to this identity`,
})

function budgetSpared(access: Access): PlanFinding {
  const without =
    access.name === BUDGET_CONFIG_MAP
      ? 'one node may be out at a time'
      : 'a node that is out by a granted cordon counts once its checks fail'
  return {
    severity: 'warning',
    code: 'BudgetForbidden',
    text: `this identity is not allowed to ${accessText(access)} by the name ${access.name}, so ${without}`,
    fix: say`${kubectl`apply -f deploy/roll-rbac.yaml`}, and bind it to this identity`,
  }
}

function accessText({ verb, group, resource, subresource, namespace }: Access): string {
  const what = `${resource}${subresource === undefined ? '' : `/${subresource}`}${group === '' ? '' : `.${group}`}`
  return `${verb} ${what}${namespace === undefined ? '' : ` in namespace ${namespace}`}`
}

/** Only an identity with the right can see whether the namespace exists. */
const roleOf = (namespace: string): string =>
  `, with its Role evenkeel-slots in ${namespace}: the namespace of "slots.namespace" must exist`

function plannedNode(s: PlanSnapshot, node: Node, pods: readonly Pod[]): PlannedNode {
  const all = DRAIN_STAGES.map((stage) => pods.filter((pod) => isInStage(s, pod, stage)))
  // Most clusters have no NodeGuard.
  const stages = all.filter((inStage, i) => DRAIN_STAGES[i] !== GUARD_STAGE || inStage.length > 0)
  const need = s.needs?.get(node.name)
  const detachFrom = matchNodeServers(node, s.instances).map(
    ({ reading }) => `${reading.ref.backend}/${reading.ref.server} on ${reading.ref.instance}`,
  )
  return {
    node: node.name,
    role: isControlPlane(node) ? 'control plane' : 'worker',
    address: node.internalAddresses[0] ?? '',
    bootId: node.bootId,
    detachFrom,
    podsToMove: stages.flat().map(refKey),
    stages: stages.map((pods) => pods.length),
    ...(need?.kind === 'needed' ? { needs: need.why } : {}),
  }
}

function isInStage({ spec }: PlanSnapshot, pod: Pod, stage: number): boolean {
  const verdict = classifyPod(pod, spec.drain)
  return verdict.kind === 'evict' && verdict.stage === stage
}

const strangers = ({ instances, cluster }: PlanSnapshot): readonly string[] =>
  instances.flatMap((instance) =>
    serversOfNoNode(instance, cluster.nodes).map(
      ({ ref, address, port }) => `${ref.backend}/${ref.server} (${address}:${port}) on ${ref.instance}`,
    ),
  )

const unique = (findings: readonly PlanFinding[]): readonly PlanFinding[] => [
  ...new Map(findings.map((finding) => [`${finding.code} ${finding.node} ${finding.text}`, finding])).values(),
]
