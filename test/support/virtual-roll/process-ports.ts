import { ApiClient } from '../../../src/ground/kube/api-client.ts'
import { ApiReach } from '../../../src/ground/kube/api-reach.ts'
import type { Connection } from '../../../src/ground/kube/connection.ts'
import type { Exchange } from '../../../src/ground/kube/exchange.ts'
import type { FollowParts } from '../../../src/ground/kube/follow.ts'
import { kubeCluster } from '../../../src/ground/kube/kube-cluster.ts'
import { kubeConfigMaps } from '../../../src/ground/kube/kube-config-maps.ts'
import { steadyClock } from '../../../src/ground/loop/steady-clock.ts'
import { type WallMs, wallMs } from '../../../src/ground/model/time.ts'
import type { Clock } from '../../../src/ground/ports/clock.ts'
import type { Cluster } from '../../../src/ground/ports/cluster.ts'
import type { ConfigMaps } from '../../../src/ground/ports/config-maps.ts'
import type { Random } from '../../../src/ground/ports/random.ts'
import { kubeKuredLocks } from '../../../src/roll/io/kube-kured-locks.ts'
import type { KuredLocks } from '../../../src/roll/ports/kured-locks.ts'
import type { VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { inProcessApi, type Passage } from '../../../src/sim/doors/in-process-api.ts'
import type { ApiRequest } from '../../../src/sim/world/api-request.ts'
import type { RequestWitness } from './engine-request.ts'
import { Lifeline } from './lifeline.ts'

/** What a process does to the world or to its journal, and when a hook hears of it. */
export type EffectHook = (effect: string, phase: 'before' | 'after', lifeline: Lifeline) => void

/** What goes wrong around a process. */
export interface ProcessOutside {
  readonly passageOf?: (request: ApiRequest) => Passage
  readonly onEffect?: EffectHook
  readonly witness?: RequestWitness
  /** By how much the clock of the machine was set, by now. */
  readonly clockSetByMs?: () => number
}

interface ProcessPortsParts {
  readonly cluster: VirtualCluster
  readonly outside: ProcessOutside
  /** Which process of which owner this is: chance differs from one to the next. */
  readonly name: string
}

const API_LATENCY_MS = 3

/** What one process has of the virtual world, whatever it does there: a clock, chance and the API, ending with it. */
export class ProcessPorts {
  readonly lifeline = new Lifeline()
  readonly clock: Clock
  readonly random: Random
  /** What the machine takes the time for, which may be set. */
  readonly machineWall: () => WallMs
  readonly client: ApiClient
  readonly cluster: Cluster
  readonly configMaps: ConfigMaps
  readonly kuredLocks: KuredLocks
  readonly #parts: ProcessPortsParts

  constructor(parts: ProcessPortsParts) {
    this.#parts = parts
    const { cluster, name } = parts
    const { time } = cluster
    const { lifeline } = this
    this.random = cluster.random.fork(name)
    this.clock = steadyClock({
      monoMs: () => time.monoMs(),
      wallMs: () => time.wallMs(),
      asleepMs: () => time.asleepMs(),
      sleep: (ms, signal) => lifeline.guard(() => time.sleep(ms, signal)),
    })
    this.machineWall = () => wallMs(time.wallMs() + (parts.outside.clockSetByMs?.() ?? 0))
    this.client = this.#makeClient()
    this.configMaps = kubeConfigMaps(this.client)
    this.kuredLocks = kubeKuredLocks(this.client)
    this.cluster = kubeCluster(this.follows(), { address: '192.0.2.1', port: 6443 })
  }

  /** For adapters that follow a kind. */
  follows(): FollowParts {
    const { client, clock, random } = this
    const log = { debug: () => undefined, warn: () => undefined }
    return { client, reach: new ApiReach(clock), clock, random, log }
  }

  /** Something that outlives the process, which may die right before it or right after. */
  effect<T>(name: string, work: () => Promise<T>): Promise<T> {
    const { onEffect } = this.#parts.outside
    if (onEffect === undefined) return this.lifeline.guard(work)
    return this.lifeline.guard(async () => {
      onEffect(name, 'before', this.lifeline)
      if (this.lifeline.isDead) return new Promise<never>(() => undefined)
      const outcome = await work()
      onEffect(name, 'after', this.lifeline)
      return outcome
    })
  }

  effectOn<T>(isEffect: boolean, name: string, work: () => Promise<T>): Promise<T> {
    return isEffect ? this.effect(name, work) : this.lifeline.guard(work)
  }

  #makeClient(): ApiClient {
    const { world, time, apiServer } = this.#parts.cluster
    const { passageOf, witness } = this.#parts.outside
    const api = inProcessApi({
      world,
      timers: time,
      latencyMs: API_LATENCY_MS,
      passageOf: (request) => {
        const passage = passageOf?.(request) ?? { kind: 'passes' }
        const { life } = apiServer
        if (life === undefined) return { kind: 'refused' }
        return passage.kind === 'passes' ? { ...passage, life } : passage
      },
      around: (request, answer) => {
        const answered = witness?.({ kind: 'api', request })
        const reply = answer()
        answered?.(reply.code)
        return reply
      },
    })
    const exchange: Exchange = (connection, request, signal) => {
      const writes = request.method !== 'GET' && !/selfsubject|dryRun=All/.test(request.target)
      const name = `${request.method} ${request.target}`
      return this.effectOn(writes, name, () => api(connection, request, AbortSignal.any([signal, this.lifeline.ended])))
    }
    const connection = { server: new URL('http://embedded') } as unknown as Connection
    const credentials = { current: () => Promise.resolve(connection), accept: () => undefined, drop: () => undefined }
    return new ApiClient({ credentials, clock: this.clock, userAgent: 'evenkeel', exchange })
  }
}
