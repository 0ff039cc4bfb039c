import { homedir } from 'node:os'
import type { LiveValues } from '../../src/cli/completion/values.ts'
import { contextNames } from '../../src/ground/kube/context-names.ts'
import { kubeconfigPaths } from '../../src/ground/kube/kubeconfig-paths.ts'
import { openCluster } from '../../src/ground/kube/open-cluster.ts'
import { within } from '../../src/ground/kube/within.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { journals, type RollSurroundings } from '../roll/world.ts'

/** A person who pressed Tab does not wait longer. */
const LIMIT_MS = 2_000

const SILENT = { debug: () => undefined, warn: () => undefined }

/** The values of completion: journals and kubeconfigs of this machine, and the Nodes of a cluster. */
export function liveValues(surroundings: RollSurroundings): LiveValues {
  const { env, version } = surroundings
  return {
    runs: async (stateDir) => {
      const store = journals(stateDir === undefined ? {} : { stateDir: fromHome(stateDir) }, surroundings)
      const late = () => new Error('the runs are not known in time')
      const runs = await within({ clock, ms: LIMIT_MS, signal: new AbortController().signal, late }, () => store.runs())
      return runs.map(({ run }) => run)
    },
    contexts: async (kubeconfig) => contextNames(kubeconfigPaths(fromHome(kubeconfig) ?? env.KUBECONFIG)),
    nodes: ({ kubeconfig, context }) => {
      const late = () => new Error('the nodes are not known in time')
      const kubeconfigPath = fromHome(kubeconfig) ?? env.KUBECONFIG
      const parts = { kubeconfigPath, context, env, clock, random, log: SILENT, userAgent: `evenkeel/${version}` }
      return within({ clock, ms: LIMIT_MS, signal: new AbortController().signal, late }, async (signal) => {
        const cluster = await openCluster(parts, signal)
        return (await cluster.nodeVersions(signal)).map(({ name }) => name)
      })
    },
  }
}

/** A shell expands `~` only when the line runs. */
function fromHome(path: string): string
function fromHome(path: string | undefined): string | undefined
function fromHome(path: string | undefined): string | undefined {
  return path?.replace(/^~(?=\/|$)/, homedir())
}
