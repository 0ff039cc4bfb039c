import type { DnsDemoActions, DnsDemoCluster } from '../../../src/demo/dns/dns-demo-actions.ts'
import { preloadKubeconfigReader } from '../../../src/ground/kube/client-config.ts'
import { openApi } from '../../../src/ground/kube/open-cluster.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import { invariant } from '../../../src/ground/model/invariant.ts'
import { LoopbackNet } from '../../../src/sim/loopback/loopback-net.ts'
import type { RollSurroundings } from '../../roll/world.ts'
import { programName } from '../program-name.ts'
import { DnsCluster } from './dns-cluster.ts'
import { readPod } from './read-pod.ts'
import { repairOfOurs } from './repair-of-ours.ts'

/** The actions of the demo of DNS, on this machine's loopback; `openNet` opens its addresses. */
export const dnsDemoActions = (surroundings: RollSurroundings, openNet = LoopbackNet.open): DnsDemoActions => ({
  program: programName(),
  open: async (signal) => {
    // Loading it later would stop the cluster in this process, under traffic.
    await preloadKubeconfigReader()
    const ground = await DnsCluster.open(await openNet(), signal)
    try {
      return await demoCluster(ground, surroundings, signal)
    } catch (error) {
      await ground.end()
      throw error
    }
  },
})

async function demoCluster(
  ground: DnsCluster,
  { env, log, version }: RollSurroundings,
  signal: AbortSignal,
): Promise<DnsDemoCluster> {
  const { kubeconfig: kubeconfigPath, plane } = ground.cluster
  const options = { kubeconfigPath, env, clock, random, log, userAgent: `evenkeel/${version}` }
  const { parts } = await openApi(options, signal)
  const pods = ground.pods.map(({ metadata: { name, uid }, spec: { nodeName = '' }, status }) => ({
    name,
    uid,
    node: nodeName,
    address: status?.podIP ?? '',
  }))
  const [sick] = pods
  invariant(sick !== undefined, 'there is no pod of DNS')
  return {
    nodes: ground.nodes.map(({ name }) => name),
    pods,
    service: ground.service,
    sick,
    kubeconfig: kubeconfigPath,
    sendQueries: () => ground.sendQueries(),
    dropUdp: () => plane.dropUdp(sick.uid),
    readPod: (limited) => readPod(ground, { pod: sick, parts }, limited),
    repair: (hears, limited) => repairOfOurs(ground, { parts, hears }, limited),
    end: () => ground.end(),
  }
}
