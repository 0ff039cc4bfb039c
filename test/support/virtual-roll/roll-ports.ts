import { kubeObjects } from '../../../src/ground/kube/kube-objects.ts'
import type { Sample } from '../../../src/ground/model/probe.ts'
import type { ProbeSignal } from '../../../src/ground/model/probe-signal.ts'
import { needQuestion } from '../../../src/ground/model/reboot-need.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { DataPort } from '../../../src/ground/ports/data-port.ts'
import type { Host } from '../../../src/ground/ports/host.ts'
import type { ProbeSource } from '../../../src/ground/ports/probe-source.ts'
import type { ProgramEnd, Programs } from '../../../src/ground/ports/programs.ts'
import { CelRules } from '../../../src/guard/io/cel/object-rules.ts'
import type { RollSpec } from '../../../src/roll/model/roll-spec.ts'
import type { GateSource } from '../../../src/roll/ports/gate-source.ts'
import type { Silencer } from '../../../src/roll/ports/silencer.ts'
import { FleetLockHost } from '../../../src/roll/run/fleet-lock-host.ts'
import { GateAsker } from '../../../src/roll/run/gates/gate-asker.ts'
import { RebooterHost } from '../../../src/roll/run/rebooter-host.ts'
import { HealthEndpoints } from '../../../src/service/actuators/agent/io/health-endpoints.ts'
import { CommandBalancer } from '../../../src/service/actuators/commands/io/command-balancer.ts'
import type { CommandEnd, CommandRun } from '../../../src/service/actuators/commands/io/node-command.ts'
import { DetachedNodes } from '../../../src/service/actuators/detacher/io/detached-nodes.ts'
import { HaproxyBalancer } from '../../../src/service/actuators/haproxy/io/haproxy-balancer.ts'
import type { RuntimeSocket } from '../../../src/service/actuators/haproxy/io/runtime-socket.ts'
import { connectionError } from '../../../src/service/actuators/haproxy/io/socket-error.ts'
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
  /** Where the roll file has silences. */
  readonly silencer?: Silencer
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
/** From the end of a command until the balancer has done what it was asked. */
const FOLLOWS_MS = 800
/** Of real time, which worlds do not count: a busy machine takes none of it from an expression. */
const EXPRESSION_LIMIT_MS = 60_000
/** A program takes its time. */
const PROGRAM_MS = 700
const SILENT_SOCKET_MS = 5_000

/** An instance that is asked, and after how long it does what it has accepted. */
type Asked = BalancerInstance & { readonly followsMs?: number }

/** What the program of a balancer that commands move can do. */
export const LB_VERBS = ['detach', 'attach', 'status', 'cut'] as const
const LB_LINES: Partial<Readonly<Record<(typeof LB_VERBS)[number], string>>> = {
  detach: 'set server web/{node} state drain',
  attach: 'set server web/{node} state ready',
  cut: 'shutdown sessions server web/{node}',
}

/** As the status command prints it. */
function statusOf({ balancer }: BalancerInstance, node: string): string {
  const { servers = [] } = balancer.state.backends.find(({ name }) => name === 'web') ?? {}
  const server = servers.find(({ config }) => config.name === node)
  if (server === undefined) return JSON.stringify({ node, state: 'none' })
  const { isUsable, admin, load } = server
  const sessions = load.sessions.size
  const isIn = admin === 'ready'
  const state = isIn ? (isUsable ? 'in' : 'returning') : sessions > 0 ? 'leaving' : 'out'
  return JSON.stringify({ node, state, sessions, total: load.counters.sessions })
}

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
  readonly gates: GateSource
  readonly #parts: RollPortsParts

  constructor(parts: RollPortsParts) {
    super(parts)
    this.#parts = parts
    const { cluster, spec } = parts
    const { time, network } = cluster
    const { lifeline } = this
    this.balancers = spec.balancers.flatMap((balancerSpec): readonly Balancer[] => {
      const { name, backends, via } = balancerSpec
      const shared = { clock: this.clock, random: this.random }
      if (via.kind === 'commands') {
        const run = (command: CommandRun, signal: AbortSignal) => this.#command(command, signal)
        const own = { ...balancerSpec, via }
        return [new CommandBalancer({ ...shared, spec: own, cluster: this.cluster, searchPath: '', run })]
      }
      if (via.kind !== 'haproxy') return []
      const own = { name, backends, instances: via.instances }
      return [new HaproxyBalancer({ ...shared, spec: own, open: (address) => this.#socket(address) })]
    })
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
      if (via.kind === 'detacher') return [new DetachedNodes({ ...shared, spec: { ...balancerSpec, via } })]
      if (via.kind !== 'agent') return []
      const ask = askVirtualAgent(cluster)
      const asked = (at: Parameters<typeof ask>[0], signal: AbortSignal) => lifeline.guard(() => ask(at, signal))
      return [new HealthEndpoints({ ...shared, spec: { ...balancerSpec, via }, ask: asked })]
    })
    const isWell = async (argv: readonly string[], signal: AbortSignal): Promise<ProgramEnd> => {
      await lifeline.guard(() => this.clock.sleep(PROGRAM_MS, signal))
      return parts.outside.programOf?.(argv) ?? { kind: 'notStarted', why: 'there are no programs here' }
    }
    const exitCodeOf = (end: ProgramEnd): number => (end.kind === 'exited' ? end.exitCode : 1)
    // What is behind a URL is as well as a program says; objects are those of the world.
    this.gates = new GateAsker({
      programs: { run: (argv, _limitMs, signal) => isWell(argv, signal) },
      holds: {
        pathFault: () => undefined,
        ask: async ({ url }, signal) => {
          const isClear = exitCodeOf(await isWell(['well', url], signal)) === 0
          return { kind: isClear ? 'clear' : 'held', evidence: 'as its program says' }
        },
      },
      metrics: {
        instant: async ({ query }, signal) => ({
          kind: 'value',
          value: exitCodeOf(await isWell(['well', query], signal)),
        }),
      },
      objects: kubeObjects(this.follows()),
      rules: new CelRules(this.clock, EXPRESSION_LIMIT_MS),
      secret: () => Promise.resolve(''),
      clock: this.clock,
    })
    this.host = this.#hostOf(spec.reboot.kind)
    const dataPort = networkDataPort({ network, timers: time })
    this.dataPort = { answers: (at, signal) => lifeline.guard(() => dataPort.answers(at, signal)) }
  }

  #hostOf(kind: RollSpec['reboot']['kind']): Host {
    const { cluster, clock, random } = this
    if (kind === 'fleetLock') return new FleetLockHost({ cluster, random, ownBootId: async () => undefined })
    if (kind !== 'rebooter') return this.#bySsh()
    return new RebooterHost({ cluster, clock, random, limitMs: SSH_LIMIT_MS, ownBootId: async () => undefined })
  }

  #bySsh(): Host {
    const { cluster, spec, outside } = this.#parts
    const { lifeline } = this
    const host = machineHost({
      timers: cluster.time,
      machineOf: (node) => this.#machine(node),
      latencyMs: SSH_LATENCY_MS,
      limitMs: SSH_LIMIT_MS,
      ...(spec.reboot.onlyIfNeeded === undefined ? {} : { need: needQuestion(spec.reboot.onlyIfNeeded) }),
      ...(outside.sshLuckOf === undefined ? {} : { luckOf: outside.sshLuckOf }),
    })
    return {
      ...host,
      check: (target, signal) => lifeline.guard(() => host.check(target, signal)),
      reboot: (target, bootId, signal) =>
        this.effect(`reboot ${target.node}`, () => host.reboot(target, bootId, signal)),
    }
  }

  /** Undefined where there is no Alertmanager. */
  get silencer(): Silencer | undefined {
    const { silencer } = this.#parts.outside
    const { lifeline } = this
    return (
      silencer && {
        put: (silence, signal) => lifeline.guard(() => silencer.put(silence, signal)),
        find: (text, signal) => lifeline.guard(() => silencer.find(text, signal)),
        expire: (at, signal) => lifeline.guard(() => silencer.expire(at, signal)),
      }
    )
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

  /** `lb VERB INSTANCE NODE`, which asks the runtime API of that instance. What it is asked for comes a while after its end. */
  async #command({ words, target: { node }, limitMs }: CommandRun, signal: AbortSignal): Promise<CommandEnd> {
    const [, verb, name] = words
    const instance = this.#parts.cluster.instances.find((one) => one.name === name)
    if (instance === undefined) return { ok: false, why: `failed (exit code 1): there is no ${name}` }
    const line = LB_LINES[verb as (typeof LB_VERBS)[number]]?.replace('{node}', node)
    const asks = line ?? 'show stat'
    const over = this.clock.sleep(limitMs, signal).then(() => undefined)
    const followsMs = line === undefined ? 0 : FOLLOWS_MS
    const sent = this.effectOn(line !== undefined, asks, () => this.#sent(asks, signal, { ...instance, followsMs }))
    const heard = sent.catch(() => undefined)
    const answer = await this.lifeline.guard(() => Promise.race([heard, over]))
    if (answer === undefined) return { ok: false, why: `did not end within ${limitMs / 1_000} s` }
    return { ok: true, output: line === undefined ? statusOf(instance, node) : '' }
  }

  #sent(line: string, signal: AbortSignal, { name, balancer, followsMs = 0 }: Asked): Promise<string> {
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
      if (balancer.isStopped) {
        reject(connectionError(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })))
        return
      }
      const carryOut = (): string => {
        this.#parts.outside.witness?.({ kind: 'balancer', instance: name, line })
        return balancer.answer(line)
      }
      if (followsMs > 0) time.later(followsMs, carryOut)
      resolve(followsMs > 0 ? '' : carryOut())
    })
    return promise
  }
}
