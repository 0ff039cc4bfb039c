import assert from 'node:assert/strict'
import { kubeDnsObjects } from '../../../src/dns/io/kube-dns-objects.ts'
import { kubeServiceConditions } from '../../../src/dns/io/kube-service-conditions.ts'
import { kubeExplainReader } from '../../../src/explain/io/kube-explain-reader.ts'
import type { ExplainSources } from '../../../src/explain/run/explain-sources.ts'
import { findJournal } from '../../../src/explain/run/find-journal.ts'
import { kubeObjects } from '../../../src/ground/kube/kube-objects.ts'
import type { StoredRun } from '../../../src/roll/ports/journal.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { type ProcessOutside, ProcessPorts } from '../virtual-roll/process-ports.ts'
import { askExplain } from './ask-explain.ts'

interface Person {
  readonly cluster: VirtualCluster
  readonly outside?: ProcessOutside
  /** Of the journals of the machine; there are none. */
  readonly runHere?: ExplainSources['runHere']
  /** Runs whose journals are looked through, and are of another cluster. */
  readonly runs?: readonly StoredRun[]
}

const LIMIT_MS = 60_000

const noneOf =
  (runs: readonly StoredRun[], { cluster }: ProcessPorts): ExplainSources['runHere'] =>
  async ({ run: wanted }, signal) => {
    assert.equal(await findJournal({ runs: async () => runs }, { wanted, cluster }, signal), undefined)
    return undefined
  }

/** A person types `evenkeel explain …` beside a virtual cluster. */
export async function evenkeelExplain({ cluster, outside = {}, runHere, runs = [] }: Person, line: string) {
  const ports = new ProcessPorts({ cluster, outside, name: `explain ${line}` })
  const follows = ports.follows()
  const ground = {
    ...{ cluster: ports.cluster, clock: ports.clock, configMaps: ports.configMaps, namespace: 'default' },
    ...{ reader: kubeExplainReader(follows), objects: kubeObjects(follows), dnsObjects: kubeDnsObjects(follows) },
    conditions: kubeServiceConditions(follows),
    runHere: runHere ?? noneOf(runs, ports),
  }
  const settle = <T>(work: Promise<T>): Promise<T> => cluster.time.settle(work, LIMIT_MS)
  return askExplain({ open: async () => ground, clock: ports.clock, settle }, line)
}
