import { kubeObjects } from '../../../src/ground/kube/kube-objects.ts'
import { EventRecorder } from '../../../src/ground/loop/event-recorder.ts'
import type { HoldSource } from '../../../src/guard/holds/hold-source.ts'
import { CelRules } from '../../../src/guard/io/cel/object-rules.ts'
import { GuardLoop } from '../../../src/guard/run/guard-loop.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { type ProcessOutside, ProcessPorts } from '../virtual-roll/process-ports.ts'

/** Of real time: on a busy machine the usual limit would make one seed two runs. */
const EXPRESSION_LIMIT_MS = 10_000

export const LEASE = { namespace: 'evenkeel', name: 'evenkeel-controller' }

interface ProcessParts {
  readonly cluster: VirtualCluster
  readonly name: string
  readonly source: HoldSource
  readonly outside: ProcessOutside
}

/** One process of the controller that carries NodeGuards, with a clock and chance of its own. */
export class GuardProcess {
  readonly ports: ProcessPorts
  readonly loop: GuardLoop
  /** What ended it; undefined while it runs. */
  error: unknown
  /** Told of it as well. */
  onError: (error: unknown) => void = () => undefined
  readonly #stop = new AbortController()

  constructor({ cluster, name, source, outside }: ProcessParts) {
    this.ports = new ProcessPorts({ cluster, outside, name })
    const { clock, random, cluster: api, configMaps } = this.ports
    const objects = kubeObjects(this.ports.follows())
    this.loop = new GuardLoop({
      ...{ objects, configMaps, clock, random, source },
      cluster: api,
      followNodes: (sink, signal) => api.follow('nodes', sink, signal),
      notices: new EventRecorder({ objects, clock, random, identity: name }),
      rules: new CelRules(clock, EXPRESSION_LIMIT_MS),
      leader: { mayActForMs: () => 60_000 },
      lease: LEASE,
      namespace: 'evenkeel',
      grantsNamespace: 'evenkeel',
      log: { debug: () => undefined, warn: () => undefined },
    })
    this.loop.run(this.#stop.signal).catch((error: unknown) => {
      if (this.ports.lifeline.isDead || this.#stop.signal.aborted) return
      this.error = error
      this.onError(error)
    })
  }

  kill(): void {
    this.ports.lifeline.cut()
  }

  stop(): void {
    this.#stop.abort(new Error('stopped'))
  }
}
