import { isDaemonSetPod, isFinished, type Pod } from '../../ground/model/pod.ts'
import { present } from '../../ground/model/present.ts'
import { toIso } from '../../ground/model/time.ts'
import { TO_COME_KEY } from '../../ground/model/to-come.ts'
import { workloadKey } from '../../ground/model/workload.ts'
import { nodeMarkOf } from '../../service/actuators/actuator-of.ts'
import { matchNodeServers } from '../../service/decide/match-node-servers.ts'
import type { NodeRecord, RecordedDaemon } from '../../service/model/node-record.ts'
import { OUT_TAINT } from '../../service/model/node-record.ts'
import { dnsReady } from './dns/dns-ready.ts'
import { readyPods } from './drain/ready-pods.ts'
import { replacerOf } from './drain/replacer-of.ts'
import type { NodeSnapshot } from './node-snapshot.ts'
import { podsHere } from './pods-here.ts'

/** The content of the record (step 2): everything that is needed to put the node back and cannot be read later. */
export function buildRecord(s: NodeSnapshot): NodeRecord {
  const { node } = s.current
  const pods = podsHere(s)
  const marks = new Map(s.spec.balancers.map((spec) => [spec.name, nodeMarkOf(spec)]))
  return {
    version: 1,
    run: s.run.id,
    ...present({ reason: s.run.reason }),
    at: toIso(s.wall),
    slotNamespace: s.spec.slots.namespace,
    bootId: node.bootId,
    unschedulable: node.unschedulable,
    taints: node.taints.filter(({ key }) => key !== OUT_TAINT.key && key !== TO_COME_KEY),
    servers: matchNodeServers(node, s.instances).map(({ instance, reading }) => ({
      balancer: instance.balancer,
      instance: instance.instance,
      backend: reading.ref.backend,
      server: reading.ref.server,
      address: reading.address,
      port: reading.port,
      state: reading.ownState,
      operational: reading.operational,
      ...present({ nodeMark: marks.get(instance.balancer) }),
    })),
    daemons: pods.flatMap(asDaemon),
    workloads: recordedWorkloads(s, pods),
    dnsReady: dnsReady(s),
  }
}

function asDaemon(pod: Pod): readonly RecordedDaemon[] {
  if (isFinished(pod) || pod.terminating) return []
  const identity = { namespace: pod.namespace, containerIds: Object.values(pod.containerIds), ready: pod.ready }
  if (pod.mirror) return [{ kind: 'mirror', name: pod.name, ...identity }]
  if (isDaemonSetPod(pod)) return [{ kind: 'DaemonSet', name: pod.controller?.name ?? pod.name, ...identity }]
  return []
}

function recordedWorkloads(s: NodeSnapshot, pods: readonly Pod[]): Readonly<Record<string, number>> {
  const carried = pods.map((pod) => replacerOf(pod, s.cluster.workloads)).filter((workload) => workload !== undefined)
  return Object.fromEntries(
    carried
      .filter((workload) => workload.kind !== 'DaemonSet')
      .map((workload) => [workloadKey(workload), readyPods(s, workload).length]),
  )
}
