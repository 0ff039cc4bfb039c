import type { IngressDemoActions } from '../../../src/demo/ingress/ingress-demo-actions.ts'
import { preloadKubeconfigReader } from '../../../src/ground/kube/client-config.ts'
import { LoopbackNet } from '../../../src/sim/loopback/loopback-net.ts'
import { probeSource } from '../../probe-source.ts'
import type { RollSurroundings } from '../../roll/world.ts'
import { programName } from '../program-name.ts'
import { EmbeddedRollout } from './embedded-rollout.ts'

/** The actions of the demo of IngressDaemonSets, on this machine's loopback; `openNet` opens its addresses. */
export const ingressDemoActions = (surroundings: RollSurroundings, openNet = LoopbackNet.open): IngressDemoActions => ({
  program: programName(),
  probeSource,
  open: async (options, signal) => {
    // Loading it later would stop the clusters in this process, under traffic.
    await preloadKubeconfigReader()
    const made = await EmbeddedRollout.open({ ...options, net: await openNet(), surroundings }, signal)
    const { nodes, url, about: balancer, cluster } = made
    return {
      ...{ nodes, url, balancer, kubeconfig: cluster.kubeconfig },
      rollOut: (tell, limited) => made.rollOut(tell, limited),
      end: () => made.end(),
    }
  },
})
