import type { OperatorDemoActions } from '../../../src/demo/operator/operator-demo-actions.ts'
import { preloadKubeconfigReader } from '../../../src/ground/kube/client-config.ts'
import { probeSource } from '../../probe-source.ts'
import type { RollSurroundings } from '../../roll/world.ts'
import { programName } from '../program-name.ts'
import { embeddedRolls } from './embedded-rolls.ts'

/** The actions of the demo of Rolls, on this machine's loopback. */
export const operatorDemoActions = (surroundings: RollSurroundings): OperatorDemoActions => ({
  program: programName(),
  probeSource,
  open: async (options, signal) => {
    // Loading it later would stop the cluster in this process, under traffic.
    await preloadKubeconfigReader()
    return embeddedRolls(options, surroundings, signal)
  },
})
