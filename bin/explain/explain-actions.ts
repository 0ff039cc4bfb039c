import { kubeDnsObjects } from '../../src/dns/io/kube-dns-objects.ts'
import { kubeServiceConditions } from '../../src/dns/io/kube-service-conditions.ts'
import type { ExplainActions } from '../../src/explain/cli/explain-command.ts'
import { runHereOf } from '../../src/explain/cli/run-here.ts'
import { kubeExplainReader } from '../../src/explain/io/kube-explain-reader.ts'
import { findJournal } from '../../src/explain/run/find-journal.ts'
import { kubeCluster } from '../../src/ground/kube/kube-cluster.ts'
import { kubeConfigMaps } from '../../src/ground/kube/kube-config-maps.ts'
import { kubeObjects } from '../../src/ground/kube/kube-objects.ts'
import { openApi } from '../../src/ground/kube/open-cluster.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { present } from '../../src/ground/model/present.ts'
import { isJournaledEvent } from '../../src/roll/run/journaled-event.ts'
import { goesBy } from '../../src/roll/run/run-from-journal.ts'
import { journals, type RollSurroundings } from '../roll/world.ts'

/** The default of kubectl, where the context names none. */
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
      ...{ cluster, clock, namespace, reader: kubeExplainReader(parts), objects: kubeObjects(parts) },
      ...{ configMaps: kubeConfigMaps(parts.client), dnsObjects: kubeDnsObjects(parts) },
      conditions: kubeServiceConditions(parts),
      runHere: async ({ node, run: wanted }, asked) => {
        const run = await findJournal(store, { wanted, cluster }, asked)
        if (run === undefined) return undefined
        const { entries } = await store.read(run)
        const spec = goesBy(entries)?.spec
        const events = entries.filter(isJournaledEvent)
        const history = { run, events, running: await store.inUse(run), ...present({ spec }) }
        return runHereOf(history, node, clock.wallMs())
      },
    }
  },
})
