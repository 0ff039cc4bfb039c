import type { GuardDemoActions } from '../../../src/demo/guard/guard-demo-actions.ts'
import { preloadKubeconfigReader } from '../../../src/ground/kube/client-config.ts'
import { LoopbackNet } from '../../../src/sim/loopback/loopback-net.ts'
import type { RollSurroundings } from '../../roll/world.ts'
import { programName } from '../program-name.ts'
import { embeddedGuards } from './embedded-guards.ts'

/** The actions of the demo of NodeGuards, on this machine's loopback; `openNet` opens its addresses. */
export const guardDemoActions = (surroundings: RollSurroundings, openNet = LoopbackNet.open): GuardDemoActions => ({
  program: programName(),
  open: async (signal) => {
    // Loading it later would stop the cluster in this process.
    await preloadKubeconfigReader()
    return embeddedGuards({ net: await openNet(), surroundings }, signal)
  },
})
