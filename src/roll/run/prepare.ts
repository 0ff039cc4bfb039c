import { mapAtOnce } from '../../ground/loop/map-at-once.ts'
import type { Access } from '../../ground/model/access.ts'
import type { ConfigMap } from '../../ground/model/config-map.ts'
import type { Endpoint } from '../../ground/model/endpoint.ts'
import type { PlanFinding } from '../../ground/model/plan-finding.ts'
import { present } from '../../ground/model/present.ts'
import { type SeenSlot, slotRef } from '../../ground/model/slot.ts'
import { monoMs, type WallMs } from '../../ground/model/time.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import type { ConfigMaps } from '../../ground/ports/config-maps.ts'
import type { Host } from '../../ground/ports/host.ts'
import type { InstanceSnapshot } from '../../service/decide/instance-snapshot.ts'
import type { InstanceInspection } from '../../service/model/balancer-inspection.ts'
import { BUDGET_CONFIG_MAP } from '../../service/model/budget-object.ts'
import type { BalancerReader } from '../../service/ports/balancer.ts'
import { SlotsReader } from '../../service/run/slots-reader.ts'
import { servingPorts } from '../decide/plan/data-port-findings.ts'
import { makePlan } from '../decide/plan/make-plan.ts'
import { nodesToRoll } from '../decide/plan/nodes-to-roll.ts'
import { selectNodes } from '../decide/plan/select-nodes.ts'
import type { SlotRefusal } from '../decide/plan/slot-findings.ts'
import {
  announceAccess,
  budgetAccess,
  deleteAccess,
  gateAccess,
  kuredAccess,
  planAccess,
  politeAccess,
  spareAccess,
  wantedAccess,
} from '../decide/plan/wanted-access.ts'
import type { ClusterReading } from '../decide/snapshot.ts'
import type { HostsSpec } from '../model/host-pair.ts'
import type { OwnPod } from '../model/own-pod.ts'
import type { RollPlan } from '../model/roll-plan.ts'
import type { RollSpec } from '../model/roll-spec.ts'
import type { HostMachines } from '../ports/host-machines.ts'
import { askDataPort, type DataPortParts } from './ask-data-port.ts'
import { inspectHosts } from './inspect-hosts.ts'
import { inspectPairs } from './inspect-pairs.ts'

const PORTS_AT_ONCE = 50
/** So many silent ports are enough to refuse a plan. Behind a firewall that drops packets each one takes two seconds. */
const SILENT_MAX = 50

interface PrepareParts {
  readonly spec: RollSpec
  readonly clusterName: string
  readonly cluster: Cluster
  /** Absent: the node budget is not read. */
  readonly configMaps?: Pick<ConfigMaps, 'read'>
  readonly balancers: readonly BalancerReader[]
  readonly host: Host
  /** Absent: slots of the node budget are not read. */
  readonly clock?: Clock
  /** Absent: the ports at which nodes serve are not asked. */
  readonly ports?: DataPortParts
  /** Machines of the load balancers. Absent: none can be asked. */
  readonly machines?: HostMachines
  /** The machines that a run under way still has to roll. Absent: all of the file, as for a roll that begins. */
  readonly hostsLeft?: readonly string[]
  /** The time of this machine's clock, by which locks of others end. */
  readonly wall?: WallMs
  readonly ownPod?: OwnPod
}

/** Reads everything once, changes nothing, and returns what a roll would do. */
export async function prepare(parts: PrepareParts, signal: AbortSignal): Promise<RollPlan> {
  const { spec, cluster, clusterName, host, machines, hostsLeft } = parts
  const [forbidden, spared, ofGates] = await Promise.all([
    cluster.forbidden(
      [
        ...wantedAccess(spec.slots.namespace),
        ...politeAccess(spec.drain),
        ...deleteAccess(spec.drain),
        ...kuredAccess(spec),
      ],
      signal,
    ),
    cluster.forbidden(
      [...budgetAccess(spec.slots), ...planAccess, ...spareAccess(spec.dns), ...announceAccess(spec)],
      signal,
    ),
    spec.gates === undefined ? [] : cluster.forbidden(gateAccess(spec), signal),
  ])
  if (forbidden.some(({ verb }) => verb === 'list')) {
    return makePlan({ ...NOTHING_READ, spec, clusterName, apiServer: cluster.server, forbidden })
  }
  const mayReadVolumes = !spared.some(({ resource }) => resource === 'persistentvolumes')
  const [reading, services, balancers, slotRefusal, slots, budgetObject, volumes] = await Promise.all([
    readCluster(cluster, signal),
    cluster.list('services', signal),
    readBalancers(parts, signal),
    trySlot({ cluster, namespace: spec.slots.namespace }, forbidden, signal),
    readSlots(parts, forbidden, signal),
    readBudget(parts, signal),
    mayReadVolumes ? cluster.list('persistentvolumes', signal) : undefined,
  ])
  const { nodes } = selectNodes(spec.nodes, reading.nodes)
  const { onlyIfNeeded } = spec.reboot
  const way = spec.reboot.kind === 'ssh' ? { ssh: spec.reboot } : {}
  const hosts = await inspectHosts(
    host,
    { ...way, nodes, all: reading.nodes, onlyIfNeeded, leaves: parts.ownPod?.node, wall: parts.wall },
    signal,
  )
  const instances = balancers.map(({ instance }) => instance)
  const toRoll = nodesToRoll({ spec, cluster: reading, ...present({ needs: hosts.needs, ownPod: parts.ownPod }) })
  const silentPorts = await silentAt(parts.ports, servingPorts({ spec, instances }, toRoll.nodes), signal)
  const names = reading.nodes.map(({ name }) => name)
  const pairs = await inspectPairs(
    { ...way, host, machines, hosts: spec.hosts, hostsLeft, nodes: names, instances, onlyIfNeeded },
    signal,
  )
  return makePlan({
    spec,
    clusterName,
    apiServer: cluster.server,
    cluster: reading,
    services,
    instances,
    inspections: balancers.flatMap(({ inspection }) => (inspection === undefined ? [] : [inspection])),
    forbidden,
    spared,
    ...(ofGates.length === 0 ? {} : { unreadByGates: ofGates }),
    ...present({ slotRefusal, slots, budgetObject, volumes, silentPorts, wall: parts.wall, ownPod: parts.ownPod }),
    hostFindings: [
      ...balancers.flatMap(({ finding }) => (finding === undefined ? [] : [finding])),
      ...hosts.findings,
      ...pairs.findings,
    ],
    ...present({ hosts: pairs.hosts, hostsSkipped: pairs.hostsSkipped, needs: hosts.needs }),
  })
}

async function readCluster(cluster: Cluster, signal: AbortSignal): Promise<ClusterReading> {
  const [nodes, pods, budgets, attachments, claims, slices, ...workloads] = await Promise.all([
    cluster.list('nodes', signal),
    cluster.list('placedpods', signal),
    cluster.list('disruptionbudgets', signal),
    cluster.list('volumeattachments', signal),
    cluster.list('volumeclaims', signal),
    cluster.list('endpointslices', signal),
    cluster.list('deployments', signal),
    cluster.list('replicasets', signal),
    cluster.list('statefulsets', signal),
    cluster.list('daemonsets', signal),
  ])
  return { nodes, pods, budgets, attachments, claims, slices, workloads: workloads.flat(), staleForMs: 0 }
}

/** Ports where nothing answers, or the first of very many. Each is asked twice, since one connection may be lost. */
export async function silentAt(
  parts: PrepareParts['ports'],
  ports: readonly Endpoint[],
  signal: AbortSignal,
): Promise<readonly Endpoint[] | undefined> {
  if (parts === undefined) return undefined
  const silent = new Set<Endpoint>()
  await mapAtOnce(ports, PORTS_AT_ONCE, async (port) => {
    if (silent.size >= SILENT_MAX) return
    const isSilent =
      (await askDataPort(parts, port, signal)) === false && (await askDataPort(parts, port, signal)) === false
    if (isSilent) silent.add(port)
  })
  return ports.filter((port) => silent.has(port))
}

interface BudgetParts extends Pick<PrepareParts, 'configMaps'> {
  readonly spec: { readonly slots: Pick<RollSpec['slots'], 'namespace'> }
}

/** If it may not be read, the missing right is reported. */
export async function readBudget(
  { spec, configMaps }: BudgetParts,
  signal: AbortSignal,
): Promise<ConfigMap | undefined> {
  try {
    return await configMaps?.read({ namespace: spec.slots.namespace, name: BUDGET_CONFIG_MAP }, signal)
  } catch (error) {
    if (error instanceof WorldError && error.code === 'KUBE_FORBIDDEN') return undefined
    throw error
  }
}

/** As they are now: whether their holders live takes minutes to see. */
async function readSlots(
  { spec, cluster, clock }: PrepareParts,
  forbidden: readonly Access[],
  signal: AbortSignal,
): Promise<readonly SeenSlot[] | undefined> {
  const { namespace, leaseDurationMs: durationMs } = spec.slots
  if (clock === undefined || isSlotForbidden(forbidden, namespace)) return undefined
  return new SlotsReader({ cluster, clock, namespace, durationMs }).read(1, signal)
}

const isSlotForbidden = (forbidden: readonly Access[], namespace: string): boolean =>
  forbidden.some((access) => access.resource === 'leases' && access.namespace === namespace)

/** Rights alone do not show whether the namespace exists. If a right is missing, that is reported instead. */
export async function trySlot(
  { cluster, namespace }: { readonly cluster: Cluster; readonly namespace: string },
  forbidden: readonly Access[],
  signal: AbortSignal,
): Promise<SlotRefusal | undefined> {
  if (isSlotForbidden(forbidden, namespace)) return undefined
  try {
    await cluster.tryLease(slotRef(namespace), signal)
    return undefined
  } catch (error) {
    if (!(error instanceof WorldError) || error.retry !== 'never') throw error
    return { code: error.code, text: error.message }
  }
}

interface ReadInstance {
  readonly instance: InstanceSnapshot
  readonly inspection?: InstanceInspection
  readonly finding?: PlanFinding
}

async function readBalancers({ spec, balancers }: PrepareParts, signal: AbortSignal): Promise<readonly ReadInstance[]> {
  const asked = spec.balancers.flatMap((balancerSpec) => {
    const balancer = balancers.find(({ name }) => name === balancerSpec.name)
    return balancer === undefined
      ? []
      : balancerSpec.instances.map((instance) => ({ balancerSpec, balancer, instance }))
  })
  return Promise.all(
    asked.map(async ({ balancerSpec, balancer, instance }): Promise<ReadInstance> => {
      const { backends, allowLastServer } = balancerSpec
      const known = { balancer: balancer.name, instance, backends, allowLastServer }
      try {
        const inspection = await balancer.inspect(instance, signal)
        const servers = inspection.backends.flatMap((backend) => backend.servers)
        const { process, version } = inspection
        const reading = { instance, process, version, at: monoMs(0), servers }
        return { instance: { ...known, silentForMs: 0, reading }, inspection }
      } catch (error) {
        if (!(error instanceof WorldError)) throw error
        const node = machineOf(spec.hosts, instance)
        const about = node === undefined ? {} : { node }
        const finding = { severity: 'error', code: error.code, text: error.message, ...about } as const
        return { instance: { ...known, silentForMs: 1, error: error.message }, finding }
      }
    }),
  )
}

/** The machine of the load balancers that an instance runs on, where the file has it. */
const machineOf = (hosts: HostsSpec | undefined, instance: string): string | undefined =>
  hosts?.pairs.flatMap(({ machines }) => machines).find(({ instances }) => instances.includes(instance))?.name

const NOTHING_READ = {
  cluster: {
    nodes: [],
    pods: [],
    budgets: [],
    attachments: [],
    claims: [],
    slices: [],
    workloads: [],
    staleForMs: 0,
  },
  services: [],
  instances: [],
  inspections: [],
  hostFindings: [],
} as const
