import type { Sample } from '../../../src/ground/model/probe.ts'
import type { ProbeSignal } from '../../../src/ground/model/probe-signal.ts'
import { needQuestion } from '../../../src/ground/model/reboot-need.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { DataPort } from '../../../src/ground/ports/data-port.ts'
import type { Host } from '../../../src/ground/ports/host.ts'
import type { ProbeSource } from '../../../src/ground/ports/probe-source.ts'
import type { ProgramEnd, Programs } from '../../../src/ground/ports/programs.ts'
import type { RollSpec } from '../../../src/roll/model/roll-spec.ts'
import type { GateSource } from '../../../src/roll/ports/gate-source.ts'
import { HealthEndpoints } from '../../../src/service/actuators/agent/io/health-endpoints.ts'
import { HaproxyBalancer } from '../../../src/service/actuators/haproxy/io/haproxy-balancer.ts'
import type { RuntimeSocket } from '../../../src/service/actuators/haproxy/io/runtime-socket.ts'
import { MarkedNodes } from '../../../src/service/actuators/mark/io/marked-nodes.ts'
import type { InstanceAddress } from '../../../src/service/model/balancer-spec.ts'
import type { Balancer, BalancerReader } from '../../../src/service/ports/balancer.ts'
import type { BalancerInstance, VirtualCluster } from '../../../src/sim/cluster/virtual-cluster.ts'
import { machineHost, type SshLuck } from '../../../src/sim/doors/machine-host.ts'
import { networkDataPort } from '../../../src/sim/doors/network-data-port.ts'
import { VirtualProbeSource } from '../../../src/sim/traffic/virtual-probe-source.ts'
import { askVirtualAgent } from './ask-virtual-agent.ts'
import { type ProcessOutside, ProcessPorts } from './process-ports.ts'
import { askVirtualCheck } from './virtual-health-checks.ts'

/** What goes wrong outside of the engine. */
export interface Outside extends ProcessOutside {
  readonly sshLuckOf?: (node: string) => SshLuck
  /** The socket of that instance is silent while this holds. */
  readonly isBalancerSilent?: (instance: string) => boolean
  /** After how long a balancer carries out and answers what it is sent now; commands stay in order. */
  readonly balancerLateMs?: () => number
  /** The host of the network that the prober runs on; unless told otherwise one that nothing cuts off. */
  readonly proberHost?: string
  /** What a program of the operator does, at its end. */
  readonly programOf?: (argv: readonly string[]) => ProgramEnd
  /** What becomes of a request of the prober on its way: the sample as it is told. */
  readonly sampleLuck?: (sample: Sample) => Sample
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

const SOCKET_LATENCY_MS = 1
const SSH_LATENCY_MS = 300
const SSH_LIMIT_MS = 30_000
/** A program takes its time. */
const PROGRAM_MS = 700
const SILENT_SOCKET_MS = 5_000

const withLuck = (heard: ProbeSignal, luck: Outside['sampleLuck']): ProbeSignal =>
  heard.type === 'batch' && luck !== undefined ? { ...heard, samples: heard.samples.map(luck) } : heard

/** Everything that one process of a roll has of the virtual world, ending with that process. */
export class RollPorts extends ProcessPorts {
  readonly balancers: readonly Balancer[]
  readonly endpoints: readonly BalancerReader[]
  readonly host: Host
  readonly dataPort: DataPort
  readonly programs: Programs = {
    run: (argv, _limitMs, signal) =>
      this.effect(`program ${argv.join(' ')}`, async () => {
        await this.clock.sleep(PROGRAM_MS, signal)
        return this.#parts.outside.programOf?.(argv) ?? { kind: 'notStarted', why: 'there are no programs here' }
      }),
  }
  /** Each asks a program. */
  readonly gates: GateSource = {
    ask: async ({ question }, { node }, signal) => {
      const argv = question.kind === 'command' ? [...question.argv, node] : []
      await this.lifeline.guard(() => this.clock.sleep(PROGRAM_MS, signal))
      const end = this.#parts.outside.programOf?.(argv)
      return end?.kind === 'exited' && end.exitCode === 0
        ? { kind: 'passes', text: 'healthy' }
        : { kind: 'fails', text: 'not healthy' }
    },
  }
  readonly #parts: RollPortsParts

  constructor(parts: RollPortsParts) {
    super(parts)
    this.#parts = parts
    const { cluster, spec } = parts
    const { time, network } = cluster
    const { lifeline } = this
    this.balancers = spec.balancers.flatMap(({ name, backends, via }) =>
      via.kind === 'haproxy'
        ? new HaproxyBalancer({
            spec: { name, backends, instances: via.instances },
            clock: this.clock,
            random: this.random,
            open: (address) => this.#socket(address),
          })
        : [],
    )
    this.endpoints = spec.balancers.flatMap((balancerSpec): readonly BalancerReader[] => {
      const shared = { cluster: this.cluster, clock: this.clock }
      const { via } = balancerSpec
      if (via.kind === 'mark') {
        const ask = askVirtualCheck(cluster, via.check?.url ?? '')
        return [
          new MarkedNodes({
            ...shared,
            spec: { ...balancerSpec, via },
            ask: (node) => lifeline.guard(() => ask(node)),
          }),
        ]
      }
      if (via.kind !== 'agent') return []
      const ask = askVirtualAgent(cluster)
      const asked = (at: Parameters<typeof ask>[0], signal: AbortSignal) => lifeline.guard(() => ask(at, signal))
      return [new HealthEndpoints({ ...shared, spec: { ...balancerSpec, via }, ask: asked })]
    })
    const host = machineHost({
      timers: time,
      machineOf: (node) => this.#machine(node),
      latencyMs: SSH_LATENCY_MS,
      limitMs: SSH_LIMIT_MS,
      ...(spec.reboot.onlyIfNeeded === undefined ? {} : { need: needQuestion(spec.reboot.onlyIfNeeded) }),
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
            (heard) => {
              if (!this.lifeline.isDead) emit(withLuck(heard, outside.sampleLuck))
            },
            AbortSignal.any([signal, this.lifeline.ended]),
          ),
        ),
    }
  }

  #machine(node: string) {
    const machine = this.#parts.cluster.machines.get(node)
    if (machine === undefined) return undefined
    const { isOn, bootId, rebootRequired } = machine
    const reboot = (): boolean => {
      this.#parts.outside.witness?.({ kind: 'reboot', node })
      return machine.reboot()
    }
    return { isOn, bootId, rebootRequired, reboot }
  }

  #socket(address: InstanceAddress): RuntimeSocket {
    const instance = this.#parts.cluster.instances.find(
      ({ socket }) => address.kind === 'unix' && address.path === socket,
    )
    if (instance === undefined) throw new Error(`no instance of a balancer is at ${JSON.stringify(address)}`)
    return {
      send: (line, signal) =>
        this.effectOn(line.includes('set server') || line.includes('shutdown'), line, () =>
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
