import { createHash } from 'node:crypto'
import type { VirtualCluster } from '../../../../src/sim/cluster/virtual-cluster.ts'
import { API_RESOURCES } from '../../../../src/sim/world/api-resource.ts'
import { jsonOf } from '../../../../src/sim/world/json-of.ts'
import type { LossLog } from '../checkers/loss-log.ts'
import { FIRST_INSTANCE } from '../checkers/server-word.ts'
import type { EngineRequest } from '../engine-request.ts'

/** One number for all that happened: every write, every word to a balancer, every reboot, what was sent and lost. */
export class Digest {
  readonly #hash = createHash('sha256')
  readonly #cluster: VirtualCluster

  constructor(cluster: VirtualCluster) {
    this.#cluster = cluster
    for (const resource of API_RESOURCES) {
      cluster.world.store.subscribe(resource, ({ revision, type, object }) => {
        this.#note(`${revision} ${type} ${resource.plural} ${jsonOf(object)}`)
      })
    }
  }

  asked(request: EngineRequest): void {
    if (request.kind === 'balancer' && !request.line.startsWith('show')) this.#note(lineOf(request))
    if (request.kind === 'reboot') this.#note(`reboot ${request.node}`)
  }

  end({ judge, all, others }: LossLog): string {
    if (others.length > 0) this.#note(JSON.stringify(others))
    const lost = all.map(({ dueMs, isStale, isReset, text }) => ({ dueMs, isStale, isReset, text }))
    this.#note(JSON.stringify([judge.sent, judge.failed, lost, [...judge.served]]))
    return this.#hash.digest('hex')
  }

  #note(text: string): void {
    this.#hash.update(`${this.#cluster.time.monoMs()} ${text}\n`)
  }
}

/** What is said to the first instance stands alone. */
const lineOf = ({ instance, line }: Extract<EngineRequest, { kind: 'balancer' }>): string =>
  instance === FIRST_INSTANCE ? line : `${instance}: ${line}`
