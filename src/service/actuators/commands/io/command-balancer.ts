import { hasProgram } from '../../../../ground/machine/this-machine.ts'
import { escapeForeign } from '../../../../ground/model/foreign-text.ts'
import type { Node } from '../../../../ground/model/node.ts'
import { present } from '../../../../ground/model/present.ts'
import { type MonoMs, monoMs } from '../../../../ground/model/time.ts'
import { WorldError } from '../../../../ground/model/world-error.ts'
import type { Clock } from '../../../../ground/ports/clock.ts'
import type { Cluster } from '../../../../ground/ports/cluster.ts'
import type { Random } from '../../../../ground/ports/random.ts'
import type { AdminState, InstanceReading, ServerReading, ServerRef } from '../../../model/balancer.ts'
import type { StatusState } from '../../../model/balancer-commands.ts'
import type { InstanceInspection } from '../../../model/balancer-inspection.ts'
import type { BalancerSpec } from '../../../model/balancer-spec.ts'
import type { Balancer } from '../../../ports/balancer.ts'
import { KnownNodes } from '../../io/known-nodes.ts'
import { NOTHING_COUNTED, oneBackend } from '../../io/no-balancer.ts'
import { type CommandEnd, type CommandRun, runCommand } from './node-command.ts'
import { NodeStatuses } from './node-statuses.ts'
import { parseStatus, type StatusWord } from './parse-status.ts'

interface CommandBalancerParts {
  readonly spec: BalancerSpec<'commands'>
  readonly cluster: Pick<Cluster, 'list'>
  readonly clock: Clock
  readonly random: Random
  /** Where programs are looked for, as $PATH writes it. */
  readonly searchPath: string
  /** In place of the programs of this machine. */
  readonly run?: (command: CommandRun, signal: AbortSignal) => Promise<CommandEnd>
}

type Verb = 'detach' | 'attach' | 'cut'

/** The last command that succeeded, until the status shows its effect. */
interface SentMove {
  readonly state: 'ready' | 'drain'
  readonly at: MonoMs
}

/** A balancer may follow late. After this time a move that its status does not show is made again. */
const FOLLOWS_WITHIN_MS = 10_000
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 10_000
const PROCESS = 'commands'

/**
 * A balancer of any kind, by three commands of the roll file: two move a node and one prints its state. Each node of the
 * cluster is a server, except those that the status command calls `none`.
 */
export class CommandBalancer implements Balancer {
  readonly name: string
  readonly instances: readonly string[]
  readonly #parts: CommandBalancerParts
  readonly #nodes: KnownNodes
  readonly #statuses: NodeStatuses
  readonly #sent = new Map<string, SentMove>()
  readonly #refused = new Map<string, { readonly failures: number; readonly until: MonoMs; readonly why: string }>()
  readonly #totals = new Map<string, number>()
  #known: readonly Node[] = []

  constructor(parts: CommandBalancerParts) {
    const { spec, clock } = parts
    this.#parts = parts
    this.#nodes = new KnownNodes(parts)
    this.name = spec.name
    this.instances = spec.instances
    const { intervalMs } = spec.via
    this.#statuses = new NodeStatuses({ ask: (node, signal) => this.#ask(node, signal), intervalMs, clock })
  }

  /** One command may take as long as the file allows. */
  get answerLimitMs(): number {
    return this.#parts.spec.via.timeoutMs + 1_000
  }

  /**
   * Servers that are not `own` have the state of their last status command, at most `interval` old, or older where commands
   * take longer.
   */
  async read(instance: string, signal: AbortSignal, own: readonly ServerRef[] = []): Promise<InstanceReading> {
    const at = this.#parts.clock.monoMs()
    this.#known = await this.#nodes.now()
    const names = this.#known.map(({ name }) => name)
    const wanted = new Set(own.map(({ server }) => server))
    const from = (name: string): MonoMs => (wanted.has(name) ? at : (this.#sent.get(name)?.at ?? monoMs(0)))
    await this.#statuses.since(new Map(names.map((name) => [name, from(name)])), signal)
    this.#statuses.refresh(names)
    const servers = this.#known.flatMap((node) => this.#reading(instance, node) ?? [])
    const unknown = servers.find(({ ref, status }) => wanted.has(ref.server) && status?.heard === false)
    if (unknown?.status?.heard === false)
      throw failure(`the state of ${unknown.ref.server} is not known: ${unknown.status.why}`)
    return { instance, process: PROCESS, version: '', at, servers }
  }

  async inspect(instance: string, signal: AbortSignal): Promise<InstanceInspection> {
    const { detach, attach, status, cut = status } = this.#parts.spec.via
    const programs = new Set([detach, attach, status, cut].map(([program = '']) => program))
    for (const program of programs) await this.#mustBeThere(program)
    const { servers } = await this.read(instance, signal)
    return oneBackend({ instance, process: PROCESS, backends: this.#parts.spec.backends, servers })
  }

  async setState(ref: ServerRef, state: AdminState, signal: AbortSignal): Promise<void> {
    await this.#run(state === 'ready' ? 'attach' : 'detach', ref, signal)
    this.#sent.set(ref.server, { state: state === 'ready' ? 'ready' : 'drain', at: this.#parts.clock.monoMs() })
  }

  async cutSessions(ref: ServerRef, signal: AbortSignal): Promise<void> {
    await this.#run('cut', ref, signal)
  }

  close(): Promise<void> {
    return this.#statuses.end()
  }

  async #run(verb: Verb, { server }: ServerRef, signal: AbortSignal): Promise<void> {
    const { spec, clock } = this.#parts
    const { [verb]: words, timeoutMs: limitMs } = spec.via
    const node = this.#known.find(({ name }) => name === server)
    if (node === undefined || words === undefined)
      throw new WorldError(`${spec.name} has no command for ${escapeForeign(server, 80)}`, {
        code: 'BALANCER_NO_SERVER',
        retry: 'never',
      })
    const key = `${verb} ${server}`
    const last = this.#refused.get(key)
    const restMs = (last?.until ?? 0) - clock.monoMs()
    // Without this pause it would be tried with each poll.
    if (last !== undefined && restMs > 0) throw failure(last.why, restMs)
    const end = await this.#runCommand({ words, target: this.#target(node), limitMs, clock }, signal)
    if (end.ok) {
      this.#refused.delete(key)
      return
    }
    const why = `the ${verb} command of ${spec.name} for ${server} ${end.why}`
    throw failure(why, this.#pauseMs(key, why))
  }

  #pauseMs(key: string, why: string): number {
    const { clock, random } = this.#parts
    const failures = this.#refused.get(key)?.failures ?? 0
    const longestMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures, 16))
    const pauseMs = longestMs * (0.5 + random.next() / 2)
    this.#refused.set(key, { failures: failures + 1, until: monoMs(clock.monoMs() + pauseMs), why })
    return pauseMs
  }

  async #ask(name: string, signal: AbortSignal): Promise<StatusWord | string> {
    const { spec, clock } = this.#parts
    const { status: words, timeoutMs: limitMs } = spec.via
    const node = this.#known.find((known) => known.name === name)
    if (node === undefined) return 'there is no such node'
    const end = await this.#runCommand({ words, target: this.#target(node), limitMs, isRead: true, clock }, signal)
    return end.ok ? parseStatus(end.output, name) : `its status command ${end.why}`
  }

  get #runCommand(): typeof runCommand {
    return this.#parts.run ?? runCommand
  }

  #target({ name, internalAddresses }: Node) {
    return { node: name, address: internalAddresses[0] ?? '', port: this.#parts.spec.via.dataPort }
  }

  /** Undefined for a node that the balancer does not have. */
  #reading(instance: string, node: Node): ServerReading | undefined {
    const { spec, clock } = this.#parts
    const seen = this.#statuses.of(node.name)
    const word = seen?.known
    if (seen === undefined || word?.state === 'none') return undefined
    if (word !== undefined) this.#settle(node.name, word.state)
    const sent = this.#sent.get(node.name)
    const isFollowing = sent !== undefined && clock.monoMs() - sent.at < FOLLOWS_WITHIN_MS
    const states = word === undefined ? IN : STATES[word.state]
    const isAskedBack = isFollowing && sent.state === 'ready' && states.ownState !== 'ready'
    const isHeard = typeof seen.word !== 'string'
    if (word?.total !== undefined) this.#totals.set(node.name, word.total)
    return {
      ...NOTHING_COUNTED,
      ...states,
      ...(isFollowing ? { ownState: sent.state } : {}),
      ...(isHeard && !isAskedBack ? {} : { operational: 'down' }),
      ref: { instance, backend: spec.backends[0] ?? '', server: node.name },
      address: node.internalAddresses[0] ?? '',
      port: spec.via.dataPort,
      check: isHeard ? 'none' : 'failing',
      checkText: isHeard ? `its status is ${word?.state}` : `its status is not known: ${seen.word}`,
      currentSessions: word === undefined || word.sessions === 'unknown' ? 0 : word.sessions,
      totalSessions: this.#totals.get(node.name) ?? 0,
      status: statusOf(seen.word),
    }
  }

  /** Once the status has shown the move, a later change comes from another program or from a person. */
  #settle(node: string, state: StatusState): void {
    const sent = this.#sent.get(node)
    if (sent !== undefined && STATES[state].ownState === sent.state) this.#sent.delete(node)
  }

  async #mustBeThere(program: string): Promise<void> {
    if (this.#parts.run !== undefined || (await hasProgram(program, this.#parts.searchPath))) return
    throw new WorldError(`${this.name}: there is no program ${escapeForeign(program, 200)} that may be run here`, {
      code: 'BALANCER_NO_PROGRAM',
      retry: 'never',
    })
  }
}

const failure = (text: string, retryAfterMs?: number): WorldError =>
  new WorldError(text, {
    code: 'BALANCER_COMMAND',
    retry: 'backoff',
    ...present({ retryAfterMs }),
  })

const statusOf = (word: StatusWord | string): NonNullable<ServerReading['status']> => {
  if (typeof word === 'string') return { heard: false, why: word }
  const { state, sessions } = word
  return state === 'none' ? { heard: false, why: 'it is not there' } : { heard: true, state, sessions }
}

type States = Pick<ServerReading, 'ownState' | 'adminState' | 'operational'>

const IN: States = { ownState: 'ready', adminState: 'ready', operational: 'up' }
/** A node in `leaving` is sent traffic until it is out; a node in `returning` may not be sent any yet. */
const STATES: Readonly<Record<StatusState, States>> = {
  in: IN,
  leaving: { ownState: 'drain', adminState: 'drain', operational: 'up' },
  out: { ownState: 'drain', adminState: 'drain', operational: 'up' },
  returning: { ownState: 'ready', adminState: 'ready', operational: 'starting' },
}
