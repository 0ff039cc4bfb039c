import { kubeCluster } from '../../src/adapters/kube/kube-cluster.ts'
import { kubeConfigMaps } from '../../src/adapters/kube/kube-config-maps.ts'
import { kubeDnsObjects } from '../../src/adapters/kube/kube-dns-objects.ts'
import { kubeObjects } from '../../src/adapters/kube/kube-objects.ts'
import { kubeServiceConditions } from '../../src/adapters/kube/kube-service-conditions.ts'
import { kubeSight } from '../../src/adapters/kube/kube-sight.ts'
import { openApi } from '../../src/adapters/kube/open-cluster.ts'
import { systemClock as clock } from '../../src/adapters/node/system-clock.ts'
import { systemRandom as random } from '../../src/adapters/node/system-random.ts'
import { runHereOf } from '../../src/cli/explain/run-here.ts'
import type { ExplainActions } from '../../src/cli/explain-command.ts'
import { findJournal } from '../../src/controllers/explain/find-journal.ts'
import { isJournaledEvent } from '../../src/controllers/roll/journaled-event.ts'
import { goesBy } from '../../src/controllers/roll/run-from-journal.ts'
import { journals, type RollSurroundings } from '../roll/world.ts'

/** As kubectl, where the context names none. */
const NAMESPACE = 'default'

/** What `evenkeel explain` does, on the cluster of a kubeconfig and the journals of this machine. */
export const explainActions = (surroundings: RollSurroundings): ExplainActions => ({
  open: async (place, signal) => {
    const { version, env, log } = surroundings
    const kubeconfigPath = place.kubeconfig ?? env.KUBECONFIG
    const userAgent = `evenkeel/${version}`
    const api = await openApi({ kubeconfigPath, context: place.context, env, clock, random, log, userAgent }, signal)
    const { parts, server, namespace = NAMESPACE } = api
    const cluster = kubeCluster(parts, server)
    const store = journals(place, surroundings)
    return {
      ...{ cluster, clock, namespace, sight: kubeSight(parts), objects: kubeObjects(parts) },
      ...{ configMaps: kubeConfigMaps(parts.client), dnsObjects: kubeDnsObjects(parts) },
      conditions: kubeServiceConditions(parts),
      runHere: async ({ node, run: wanted }, asked) => {
        const run = await findJournal(store, { wanted, cluster }, asked)
        if (run === undefined) return undefined
        const { entries } = await store.read(run)
        const spec = goesBy(entries)?.spec
        const events = entries.filter(isJournaledEvent)
        const history = { run, events, running: await store.inUse(run), ...(spec === undefined ? {} : { spec }) }
        return runHereOf(history, node, clock.wallMs())
      },
    }
  },
})
