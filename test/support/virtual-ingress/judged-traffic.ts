import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { Judge } from '../../../src/sim/traffic/judge.ts'
import { OpenLoopClient } from '../../../src/sim/traffic/open-loop-client.ts'
import { VirtualRoll } from '../virtual-roll/virtual-roll.ts'
import { ROLL_FILE } from './ingress-manifests.ts'

const RATE = 50
const STOPPED_WITHIN_MS = 60_000

/** Requests from outside, on connections that are kept and on new ones, until the returned function asks what was lost. */
export function judgedTraffic(cluster: VirtualCluster): () => Promise<Judge> {
  const { network, time } = cluster
  const [target] = new VirtualRoll(cluster, ROLL_FILE).spec.probe?.targets ?? []
  if (target === undefined) throw new Error('the roll file has no probe')
  const judge = new Judge()
  const client = new OpenLoopClient({
    target: { ...target, ratePerSecond: RATE },
    ...{ network, clock: time, timers: time, sink: judge.record },
  })
  client.start()
  return async () => {
    await time.settle(new Promise<void>((resolve) => client.stop(resolve)), STOPPED_WITHIN_MS)
    return judge
  }
}
