import { HaproxyBalancer } from '../../../src/adapters/haproxy/haproxy-balancer.ts'
import type { RuntimeSocket } from '../../../src/adapters/haproxy/runtime-socket.ts'
import { HealthEndpoints } from '../../../src/adapters/http/health-endpoints.ts'
import { ApiClient } from '../../../src/adapters/kube/api-client.ts'
import { ApiReach } from '../../../src/adapters/kube/api-reach.ts'
import type { Connection } from '../../../src/adapters/kube/connection.ts'
import type { Exchange } from '../../../src/adapters/kube/exchange.ts'
import { kubeCluster } from '../../../src/adapters/kube/kube-cluster.ts'
import { kubeConfigMaps } from '../../../src/adapters/kube/kube-config-maps.ts'
import type { InstanceAddress, RollSpec } from '../../../src/model/roll-spec.ts'
import { WorldError } from '../../../src/model/world-error.ts'
import type { Balancer } from '../../../src/ports/balancer.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Cluster } from '../../../src/ports/cluster.ts'
import type { ConfigMaps } from '../../../src/ports/config-maps.ts'
import type { DataPort } from '../../../src/ports/data-port.ts'
import type { Host } from '../../../src/ports/host.ts'
import type { ProbeSource } from '../../../src/ports/probe-source.ts'
import type { Random } from '../../../src/ports/random.ts'
import { steadyClock } from '../../../src/runtime/steady-clock.ts'
import type { BalancerInstance, VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { inProcessApi, type Passage } from '../../../src/sim/doors/in-process-api.ts'
import { machineHost, type SshLuck } from '../../../src/sim/doors/machine-host.ts'
import { networkDataPort } from '../../../src/sim/doors/network-data-port.ts'
import { VirtualProbeSource } from '../../../src/sim/traffic/virtual-probe-source.ts'
import type { ApiRequest } from '../../../src/sim/world/api-request.ts'
import { askVirtualAgent } from './ask-virtual-agent.ts'
import type { RequestWitness } from './engine-request.ts'
import { Lifeline } from './lifeline.ts'

/** What a process does to the world or to its journal, and when a hook hears of it. */
export type EffectHook = (effect: string, phase: 'before' | 'after', lifeline: Lifeline) => void

/** What goes wrong outside of the engine. */
export interface Outside {
  readonly passageOf?: (request: ApiRequest) => Passage
  readonly sshLuckOf?: (node: string) => SshLuck
  /** The socket of that instance is silent while this holds. */
  readonly isBalancerSilent?: (instance: string) => boolean
  /** After how long a balancer carries out and answers what it is sent now; commands stay in order. */
  readonly balancerLateMs?: () => number
  readonly onEffect?: EffectHook
  readonly witness?: RequestWitness
  /** The host of the network that the prober runs on; unless told otherwise one that nothing cuts off. */
  readonly proberHost?: string
  /** How often the prober tells what it saw. */
  readonly batchEveryMs?: number
}

interface RollPortsParts {
  readonly cluster: VirtualCluster
  readonly spec: RollSpec
  readonly outside: Outside
  /** Which process of which roll this is: chance differs from one to the next. */
  readonly name: string
}

const API_LATENCY_MS = 3
const SOCKET_LATENCY_MS = 1
const SSH_LATENCY_MS = 300
const SSH_LIMIT_MS = 30_000
const SILENT_SOCKET_MS = 5_000

/** Everything that one process of a roll has of the virtual world, ending with that process. */
export class RollPorts {
  readonly lifeline = new Lifeline()
  readonly clock: Clock
  readonly random: Random
  readonly cluster: Cluster
  readonly configMaps: ConfigMaps
  readonly balancers: readonly Balancer[]
  readonly endpoints: readonly HealthEndpoints[]
  readonly host: Host
  readonly dataPort: DataPort
  readonly #parts: RollPortsParts

  constructor(parts: RollPortsParts) {
    this.#parts = parts
    const { cluster, spec, name } = parts
    const { time, network } = cluster
    const { lifeline } = this
    this.random = cluster.random.fork(name)
    this.clock = steadyClock({
      monoMs: () => time.monoMs(),
      wallMs: () => time.wallMs(),
      sleep: (ms, signal) => lifeline.guard(() => time.sleep(ms, signal)),
    })
    const client = this.#client()
    this.configMaps = kubeConfigMaps(client)
    this.cluster = this.#kube(client)
    this.balancers = spec.balancers
      .filter((balancerSpec) => balancerSpec.healthEndpoint === undefined && balancerSpec.annotation === undefined)
      .map(
        (balancerSpec) =>
          new HaproxyBalancer({
            spec: balancerSpec,
            clock: this.clock,
            random: this.random,
            open: (address) => this.#socket(address),
          }),
      )
    this.endpoints = spec.balancers
      .filter((balancerSpec) => balancerSpec.healthEndpoint !== undefined)
      .map((balancerSpec) => {
        const ask = askVirtualAgent(cluster)
        return new HealthEndpoints({
          spec: balancerSpec,
          cluster: this.cluster,
          clock: this.clock,
          ask: (at, signal) => lifeline.guard(() => ask(at, signal)),
        })
      })
    const host = machineHost({
      timers: time,
      machineOf: (node) => this.#machine(node),
      latencyMs: SSH_LATENCY_MS,
      limitMs: SSH_LIMIT_MS,
      ...(parts.outside.sshLuckOf === undefined ? {} : { luckOf: parts.outside.sshLuckOf }),
    })
    this.host = {
      ...host,
      check: (target, signal) => lifeline.guard(() => host.check(target, signal)),
      reboot: (target, bootId, signal) =>
        this.effect(`reboot ${target.node}`, () => host.reboot(target, bootId, signal)),
    }
    const dataPort = networkDataPort({ network, timers: time })
    this.dataPort = { answers: (at, signal) => lifeline.guard(() => dataPort.answers(at, signal)) }
  }

  /** Undefined where the roll measures nothing. */
  probeSource(): ProbeSource | undefined {
    const { spec, cluster, outside } = this.#parts
    if (spec.probe === undefined) return undefined
    const { time } = cluster
    const { targets } = spec.probe
    const { batchEveryMs, proberHost } = outside
    const network = proberHost === undefined ? cluster.network : cluster.network.from(proberHost)
    const parts = { targets, network, clock: this.clock, timers: time }
    const source = new VirtualProbeSource({ ...parts, ...(batchEveryMs === undefined ? {} : { batchEveryMs }) })
    return {
      run: (emit, signal) =>
        this.lifeline.guard(() =>
          source.run(
            (told) => {
              if (!this.lifeline.isDead) emit(told)
            },
            AbortSignal.any([signal, this.lifeline.ended]),
          ),
        ),
    }
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

  #machine(node: string) {
    const machine = this.#parts.cluster.machines.get(node)
    if (machine === undefined) return undefined
    const { isOn, bootId } = machine
    const reboot = (): boolean => {
      this.#parts.outside.witness?.({ kind: 'reboot', node })
      return machine.reboot()
    }
    return { isOn, bootId, reboot }
  }

  #effectOn<T>(isEffect: boolean, name: string, work: () => Promise<T>): Promise<T> {
    return isEffect ? this.effect(name, work) : this.lifeline.guard(work)
  }

  #client(): ApiClient {
    const { world, time, apiServer } = this.#parts.cluster
    const { passageOf, witness } = this.#parts.outside
    const api = inProcessApi({
      world,
      timers: time,
      latencyMs: API_LATENCY_MS,
      passageOf: (request) => {
        const { life } = apiServer
        if (life === undefined) return { kind: 'refused' }
        const passage = passageOf?.(request) ?? { kind: 'passes' }
        return passage.kind === 'passes' ? { ...passage, life } : passage
      },
      around: (request, answer) => {
        const told = witness?.({ kind: 'api', request })
        const reply = answer()
        told?.(reply.code)
        return reply
      },
    })
    const exchange: Exchange = (connection, request, signal) => {
      const writes = request.method !== 'GET' && !/selfsubject|dryRun=All/.test(request.target)
      const name = `${request.method} ${request.target}`
      return this.#effectOn(writes, name, () =>
        api(connection, request, AbortSignal.any([signal, this.lifeline.ended])),
      )
    }
    const connection = { server: new URL('http://embedded') } as unknown as Connection
    const credentials = { current: () => Promise.resolve(connection), accept: () => undefined, drop: () => undefined }
    return new ApiClient({ credentials, clock: this.clock, userAgent: 'evenkeel', exchange })
  }

  #kube(client: ApiClient): Cluster {
    const { clock, random } = this
    const log = { debug: () => undefined, warn: () => undefined }
    const server = { address: '192.0.2.1', port: 6443 }
    return kubeCluster({ client, reach: new ApiReach(clock), clock, random, log }, server)
  }

  #socket(address: InstanceAddress): RuntimeSocket {
    const instance = this.#parts.cluster.instances.find(
      ({ socket }) => address.kind === 'unix' && address.path === socket,
    )
    if (instance === undefined) throw new Error(`no instance of a balancer is at ${JSON.stringify(address)}`)
    return {
      send: (line, signal) =>
        this.#effectOn(line.includes('set server') || line.includes('shutdown'), line, () =>
          this.#sent(line, signal, instance),
        ),
      close: () => Promise.resolve(),
    }
  }

  #sent(line: string, signal: AbortSignal, { name, balancer }: BalancerInstance): Promise<string> {
    const { time } = this.#parts.cluster
    const { isBalancerSilent = () => false, balancerLateMs = () => 0 } = this.#parts.outside
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    if (signal.aborted) return Promise.reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    if (isBalancerSilent(name)) {
      const late = new WorldError('no answer within 5 s', { code: 'BALANCER_TIMEOUT', retry: 'backoff' })
      time.later(SILENT_SOCKET_MS, () => reject(late))
      return promise
    }
    time.later(SOCKET_LATENCY_MS + balancerLateMs(), () => {
      this.#parts.outside.witness?.({ kind: 'balancer', instance: name, line })
      resolve(balancer.answer(line))
    })
    return promise
  }
}
