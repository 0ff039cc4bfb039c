import { openCluster } from '../../src/ground/kube/open-cluster.ts'
import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom } from '../../src/ground/machine/system-random.ts'
import type { Cluster } from '../../src/ground/ports/cluster.ts'

/** The adapter as the programs use it, against a real API server. */
export function openOnBed(kubeconfigPath: string, signal: AbortSignal): Promise<Cluster> {
  const log = { debug: () => undefined, warn: (text: string) => process.emitWarning(text) }
  const options = { kubeconfigPath, env: {}, clock: systemClock, random: systemRandom, log, userAgent: 'evenkeel/test' }
  return openCluster(options, signal)
}
