import assert from 'node:assert/strict'
import { kubeDnsObjects } from '../../../src/adapters/kube/kube-dns-objects.ts'
import { kubeObjects } from '../../../src/adapters/kube/kube-objects.ts'
import { kubeServiceConditions } from '../../../src/adapters/kube/kube-service-conditions.ts'
import { kubeSight } from '../../../src/adapters/kube/kube-sight.ts'
import { addExplainCommand } from '../../../src/cli/explain-command.ts'
import { runProgram } from '../../../src/cli/program.ts'
import type { ExplainGround } from '../../../src/controllers/explain/explain-ground.ts'
import { findJournal } from '../../../src/controllers/explain/find-journal.ts'
import type { StoredRun } from '../../../src/ports/journal.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { memoryContext } from '../../cli/memory-context.ts'
import { type ProcessOutside, ProcessPorts } from '../virtual-roll/process-ports.ts'

interface Person {
  readonly cluster: VirtualCluster
  readonly outside?: ProcessOutside
  /** Of the journals of the machine; there are none. */
  readonly runHere?: ExplainGround['runHere']
  /** Runs whose journals are looked through, and are of another cluster. */
  readonly runs?: readonly StoredRun[]
}

interface SaidFinding {
  readonly part: string
  readonly is: string
  readonly subject: string
  readonly code: string
  readonly text: string
  readonly evidence: readonly string[]
  readonly next: readonly { readonly command?: string; readonly note: string }[]
}

export interface SaidDocument {
  readonly state: string
  readonly verdict: string
  readonly findings: readonly SaidFinding[]
  readonly unknown: readonly { readonly what: string; readonly why: string }[]
}

const LIMIT_MS = 60_000

const noneOf =
  (runs: readonly StoredRun[], { cluster }: ProcessPorts): ExplainGround['runHere'] =>
  async ({ run: wanted }, signal) => {
    assert.equal(await findJournal({ runs: async () => runs }, { wanted, cluster }, signal), undefined)
    return undefined
  }

/** A person types `evenkeel explain …` beside a virtual cluster: once for people, and once for machines. */
export async function evenkeelExplain({ cluster, outside = {}, runHere, runs = [] }: Person, line: string) {
  const ports = new ProcessPorts({ cluster, outside, name: `explain ${line}` })
  const follows = ports.follows()
  const ground = {
    ...{ cluster: ports.cluster, clock: ports.clock, configMaps: ports.configMaps, namespace: 'default' },
    ...{ sight: kubeSight(follows), objects: kubeObjects(follows), dnsObjects: kubeDnsObjects(follows) },
    conditions: kubeServiceConditions(follows),
    runHere: runHere ?? noneOf(runs, ports),
  }
  const run = async (...more: readonly string[]) => {
    const { context } = memoryContext()
    const commands = [addExplainCommand(async () => ({ open: async () => ground }))]
    const parts = { version: '0', context: { ...context, clock: ports.clock }, commands }
    const code = await cluster.time.settle(runProgram(parts, ['explain', ...line.split(' '), ...more]), LIMIT_MS)
    return { code, out: context.out.text, err: context.err.text }
  }
  const text = await run()
  const json = await run('-o', 'json')
  return { ...text, document: JSON.parse(json.out || '{}') as SaidDocument }
}
