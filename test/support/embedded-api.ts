import { ApiClient } from '../../src/ground/kube/api-client.ts'
import { ApiReach } from '../../src/ground/kube/api-reach.ts'
import type { Connection } from '../../src/ground/kube/connection.ts'
import type { FollowParts } from '../../src/ground/kube/follow.ts'
import { kubeCluster } from '../../src/ground/kube/kube-cluster.ts'
import { present } from '../../src/ground/model/present.ts'
import { wallMs } from '../../src/ground/model/time.ts'
import type { Cluster } from '../../src/ground/ports/cluster.ts'
import { VirtualTime } from '../../src/sim/clocks/virtual-time.ts'
import { inProcessApi, type Passage } from '../../src/sim/doors/in-process-api.ts'
import type { ApiRequest } from '../../src/sim/world/api-request.ts'
import { NAMESPACES } from '../../src/sim/world/api-resource.ts'
import { createObject } from '../../src/sim/world/create-object.ts'
import { Store } from '../../src/sim/world/store.ts'
import { SeededRandom } from './seeded-random.ts'
import { turnsOfLoop } from './turns-of-loop.ts'

/** The embedded API server with one namespace and no controller at work, reached through the adapter. Each call takes 3 ms. */
export class EmbeddedApi {
  static readonly LATENCY_MS = 3
  readonly time = new VirtualTime({ startAt: wallMs(Date.UTC(2026, 0, 1)), turns: turnsOfLoop })
  /** The method of each request that was carried out, in order. */
  readonly methods: string[] = []
  /** The method and the path with its query of each. */
  readonly requests: string[] = []
  readonly world = { store: new Store(), clock: this.time, random: new SeededRandom(7) }

  constructor(namespace: string) {
    createObject(this.world, { resource: NAMESPACES, body: { metadata: { name: namespace } } })
  }

  /** As another process has it. `passageOf`: what becomes of a request on the way. */
  client(passageOf?: (request: ApiRequest) => Passage): ApiClient {
    const exchange = inProcessApi({
      world: this.world,
      timers: this.time,
      latencyMs: EmbeddedApi.LATENCY_MS,
      ...present({ passageOf }),
      around: ({ method, path, query }, answer) => {
        this.methods.push(method)
        this.requests.push(`${method} ${path}?${query}`)
        return answer()
      },
    })
    const connection = { server: new URL('http://embedded') } as unknown as Connection
    const credentials = { current: async () => connection, accept: () => undefined, drop: () => undefined }
    return new ApiClient({ credentials, clock: this.time, userAgent: 'evenkeel/test', exchange })
  }

  /** For adapters that follow a kind. */
  follows(): FollowParts {
    const { time: clock } = this
    const log = { debug: () => undefined, warn: () => undefined }
    return { client: this.client(), reach: new ApiReach(clock), clock, random: new SeededRandom(1), log }
  }

  cluster(): Cluster {
    return kubeCluster(this.follows(), { address: '192.0.2.1', port: 6443 })
  }

  /** Time goes on until the work is done. */
  done<T>(work: Promise<T>): Promise<T> {
    return this.time.settle(work, 60_000)
  }
}
