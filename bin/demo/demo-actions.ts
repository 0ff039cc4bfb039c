import { join } from 'node:path'
import { runArticleScript } from '../../src/demo/article-script.ts'
import type { DemoActions, DemoCluster, PlanEnd } from '../../src/demo/demo-actions.ts'
import { type DemoPlan, PLAN_DETAILS } from '../../src/demo/demo-plan.ts'
import { preloadKubeconfigReader } from '../../src/ground/kube/client-config.ts'
import { openCluster } from '../../src/ground/kube/open-cluster.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { WorldError } from '../../src/ground/model/world-error.ts'
import { askSocket } from '../../src/sim/loopback/ask-socket.ts'
import { probeSource } from '../probe-source.ts'
import { rollActions } from '../roll/roll-actions.ts'
import type { RollSurroundings } from '../roll/world.ts'
import { ArticleCluster, HERE } from './article-cluster.ts'
import { freePort } from './free-port.ts'
import { programName } from './program-name.ts'
import { rollOfOurs } from './roll-of-ours.ts'
import { DEMO_PAUSES, scriptHands } from './script-hands.ts'

/** The actions of a demo, on this machine's loopback. */
export function demoActions(surroundings: RollSurroundings): DemoActions {
  return {
    program: programName(),
    probeSource,
    checkPort: async (port) => void (await freePort(HERE, port)),
    open: async (options, signal) => {
      // Loading it later would stop the clusters in this process, under traffic.
      await preloadKubeconfigReader()
      const ground = await ArticleCluster.open(options, surroundings.env, signal)
      return demoCluster(ground, options.plan, surroundings)
    },
  }
}

function demoCluster(ground: ArticleCluster, plan: DemoPlan, surroundings: RollSurroundings): DemoCluster {
  const { nodes, url, about: balancer, balancerSocket, rollFile, folder } = ground
  const { kubeconfig } = ground.cluster
  const stateDir = join(folder, 'state')
  return {
    nodes,
    url,
    balancer,
    kubeconfig,
    balancerSocket,
    rollFile,
    stateDir,
    run: (tell, signal) =>
      plan === 'evenkeel'
        ? rollOfOurs(rollActions(surroundings), { rollFile, kubeconfig, stateDir, tell }, signal)
        : runScript(ground, { plan, surroundings, tell }, signal),
    history: async () => (plan === 'evenkeel' ? rollActions(surroundings).history({ stateDir }) : undefined),
    end: () => ground.end(),
  }
}

interface ScriptRun {
  readonly plan: DemoPlan
  readonly surroundings: RollSurroundings
  readonly tell: (node: string, step: string) => void
}

async function runScript(
  { cluster, balancerSocket, nodes }: ArticleCluster,
  { plan, surroundings, tell }: ScriptRun,
  signal: AbortSignal,
): Promise<PlanEnd> {
  const { env, log, version } = surroundings
  const options = { kubeconfigPath: cluster.kubeconfig, env, clock, random, log, userAgent: `evenkeel/${version}` }
  const opened = await openCluster(options, signal)
  const { machines } = cluster
  const askBalancer = (line: string): Promise<string> => askSocket(balancerSocket, line)
  const hands = scriptHands({ cluster: opened, clock, machines, askBalancer, nodes }, signal)
  const { tellsBalancer, twoSteps } = PLAN_DETAILS[plan]
  try {
    await runArticleScript(hands, { tellsBalancer, twoSteps, pauses: DEMO_PAUSES }, tell)
    return {}
  } catch (error) {
    if (signal.aborted || !(error instanceof WorldError)) throw error
    return { failure: error.message }
  }
}
