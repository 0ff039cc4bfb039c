import { kubeDnsObjects } from '../../src/dns/io/kube-dns-objects.ts'
import { kubeServiceConditions } from '../../src/dns/io/kube-service-conditions.ts'
import { runHereOf } from '../../src/explain/cli/run-here.ts'
import { kubeExplainReader } from '../../src/explain/io/kube-explain-reader.ts'
import { kubeObjects } from '../../src/ground/kube/kube-objects.ts'
import { isJournaledEvent } from '../../src/roll/run/journaled-event.ts'
import { isReady, type PodObject } from '../../src/sim/actors/pod-object.ts'
import { whoami } from '../../src/sim/cluster/article-workloads.ts'
import type { VirtualCluster } from '../../src/sim/cluster/virtual-cluster.ts'
import type { Passage } from '../../src/sim/doors/in-process-api.ts'
import type { ApiRequest } from '../../src/sim/world/api-request.ts'
import { PODS } from '../../src/sim/world/api-resource.ts'
import { HELD_ROWS } from '../scenarios/trouble/held-rows.ts'
import { meetsTrouble } from '../scenarios/trouble/meets-trouble.ts'
import { OTHERS_WORK_ROWS } from '../scenarios/trouble/others-work-rows.ts'
import { PASSING_ROWS } from '../scenarios/trouble/passing-rows.ts'
import { askExplain, type SaidByExplain } from '../support/explain/ask-explain.ts'
import { leftoversOf } from '../support/roll-ground/leftovers-of.ts'
import { simulationTest } from '../support/simulation-test.ts'
import type { TroubleGround } from '../support/trouble/trouble-ground.ts'
import { ProcessPorts } from '../support/virtual-roll/process-ports.ts'
import { balancerBefore, smallWorld, WEB } from '../support/virtual-roll/small-world.ts'
import { VirtualGround } from '../support/virtual-roll/virtual-ground.ts'

/** A request over a connection that is kept open to a pod is lost as that exits, whatever a drain does (PolitePooled). */
const NO_POOL = { ...WEB, closesServers: true }

/** The controllers come back within 24 s of the API server. */
const SETTLED_WITHIN_S = 60

const QUIET_S = 3
const isOfWhoami = ({ metadata }: PodObject): boolean => metadata.name.startsWith('whoami-')

/** Two nodes in virtual time. The test that runs the row advances the clock. */
class VirtualTrouble implements TroubleGround {
  readonly world: VirtualGround
  readonly spec = {
    balancers: [{ name: 'lb', instances: [{ name: 'lb-1', socket: '/run/haproxy.sock' }], backends: ['web'] }],
  }
  readonly #cluster: VirtualCluster
  #refusesLabels = false

  private constructor(cluster: VirtualCluster) {
    this.#cluster = cluster
    this.world = new VirtualGround(cluster, { passageOf: (request) => this.#passage(request) })
  }

  static async open(seed: string): Promise<VirtualTrouble> {
    const manifests = whoami({ service: 'plain', replicas: 1 })
    return new VirtualTrouble(
      await smallWorld({ seed, nodes: 2, darkMs: 500, manifests, instances: [balancerBefore(NO_POOL)] }),
    )
  }

  /** Time goes on until the work is done. */
  done<T>(work: Promise<T>): Promise<T> {
    return this.#cluster.time.settle(work, 3_600_000)
  }

  end(): void {
    this.#cluster.end()
  }

  explain(line: string): Promise<SaidByExplain> {
    const ports = new ProcessPorts({ cluster: this.#cluster, outside: {}, name: `explain ${line}` })
    const follows = ports.follows()
    const { clock, configMaps } = ports
    const ground = {
      ...{ cluster: ports.cluster, clock, configMaps, namespace: 'default', reader: kubeExplainReader(follows) },
      ...{ objects: kubeObjects(follows), dnsObjects: kubeDnsObjects(follows) },
      conditions: kubeServiceConditions(follows),
      runHere: async ({ node }: { readonly node: string }) => {
        const { run, journal, spec } = this.world.rolled
        const events = journal.entries.filter(isJournaledEvent)
        return runHereOf({ run, events, running: true, spec }, node, clock.wallMs())
      },
    }
    return askExplain({ open: async () => ground, clock }, line)
  }

  async refuseLabels(isRefused: boolean): Promise<void> {
    this.#refusesLabels = isRefused
  }

  async settled(): Promise<void> {
    for (let second = 0; second < SETTLED_WITHIN_S; second += 1) {
      await this.world.pause(1_000)
      const pods = ([...this.#cluster.world.store.all(PODS)] as PodObject[]).filter(isOfWhoami)
      const left = await leftoversOf(this.world)
      if (second > QUIET_S && left.length === 0 && pods.length === 1 && pods.every(isReady)) return
    }
  }

  /** As an API server words the refusal of a ValidatingAdmissionPolicy; `kube-preflight` asks a real one. */
  #passage({ method, path }: ApiRequest): Passage {
    const [name] = /(?<=^\/api\/v1\/namespaces\/default\/pods\/)[^/]+$/.exec(path) ?? []
    if (!this.#refusesLabels || method !== 'PATCH' || name === undefined) return { kind: 'passes' }
    const message = `pods "${name}" is forbidden: ValidatingAdmissionPolicy 'labels' with binding 'labels' denied request: labels of pods may not change`
    const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Invalid', code: 422, message }
    return { kind: 'answered', reply: { code: 422, body } }
  }
}

const test = simulationTest(import.meta.url)

for (const row of [...HELD_ROWS, ...OTHERS_WORK_ROWS, ...PASSING_ROWS]) {
  test(`in a roll: ${row.title} (exit ${row.exit})`, async (t) => {
    const ground = await VirtualTrouble.open('trouble')
    t.after(() => ground.end())
    await ground.done(meetsTrouble(ground, row))
  })
}
