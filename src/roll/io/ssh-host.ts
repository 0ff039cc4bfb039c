import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hostAddresses } from '../../ground/machine/host-addresses.ts'
import { hostName, isHostName } from '../../ground/machine/host-name.ts'
import { MarkedLines } from '../../ground/machine/marked-lines.ts'
import { ownBootId } from '../../ground/machine/own-boot-id.ts'
import { type ProcessEnd, runProcess } from '../../ground/machine/run-process.ts'
import { sshFailure } from '../../ground/machine/ssh-failure.ts'
import { ALONE, type SshOptions, shared, sshArguments } from '../../ground/machine/ssh-options.ts'
import { sshRoute } from '../../ground/machine/ssh-route.ts'
import { isBootId } from '../../ground/model/boot-id.ts'
import type { HostReading, RebootAnswer } from '../../ground/model/host.ts'
import { present } from '../../ground/model/present.ts'
import { asksMachine, type NeedQuestion } from '../../ground/model/reboot-need.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Host, HostTarget } from '../../ground/ports/host.ts'
import type { Random } from '../../ground/ports/random.ts'
import { needAnswer } from './need-answer.ts'
import { rebootAnswer } from './reboot-answer.ts'
import { checkScript, rebootScript } from './remote-script.ts'

export interface SshHostParts extends SshOptions {
  readonly clock: Clock
  readonly random: Random
  /** The reboot command, word by word; run as root, or beginning with sudo. */
  readonly command: readonly string[]
  /** What a check also asks; absent: nothing more. */
  readonly need?: NeedQuestion
  /** A directory for sockets of open connections; without one each question has a connection of its own. */
  readonly socketDir?: string
  /** The time limit of one question. */
  readonly checkLimitMs: number
  readonly rebootLimitMs: number
}

/** A unix socket's path has at most 107 bytes, and ssh adds 17 while it creates one. */
const SOCKET_PATH_MAX = 90
const LOCAL_LIMIT_MS = 5_000

/** Machines that are reached by the system's own ssh, with its configuration, agents, certificates and jump hosts. */
export class SshHost implements Host {
  readonly #parts: SshHostParts
  #sockets: Promise<string | undefined> | undefined
  readonly #sharing = new Map<string, string>()

  constructor(parts: SshHostParts) {
    this.#parts = parts
  }

  async check(target: HostTarget, signal: AbortSignal): Promise<HostReading> {
    const node = hostName(target.node)
    const mark = this.#mark()
    const { command, need = {} } = this.#parts
    const script = checkScript({ mark, command }, need)
    const { end, lines } = await this.#ask(node, { mark, script, limitMs: this.#parts.checkLimitMs }, signal)
    const bootId = lines.said('boot')
    const refusal = lines.said('refused')
    if (bootId === undefined || (refusal === undefined && !lines.has('may'))) throw sshFailure(node, end)
    if (!isBootId(bootId)) {
      throw new WorldError(`${node} reported no boot id, but "${bootId}"`, { code: 'HOST_ANSWER', retry: 'never' })
    }
    const hops = await sshRoute(node, {
      configOf: (host) => this.#config(host, signal),
      addressesOf: (host) => hostAddresses(host, this.#parts.clock, signal),
    })
    return {
      bootId,
      mayReboot: refusal === undefined,
      hops,
      ...present({ refusal }),
      ...(asksMachine(need) ? { need: needAnswer(need, lines, end) } : {}),
    }
  }

  async reboot({ node }: HostTarget, expectedBootId: string, signal: AbortSignal): Promise<RebootAnswer> {
    if (!isHostName(node)) return { kind: 'refused', text: 'the node has no name to use with ssh; nothing was sent' }
    if (!isBootId(expectedBootId))
      return { kind: 'refused', text: 'the recorded boot id is malformed; nothing was sent' }
    // The open connection dies with the machine, and later commands over it would hang.
    await this.#letGo(node, signal)
    const mark = this.#mark()
    const lines = new MarkedLines(mark)
    const end = await runProcess(
      {
        argv: ['ssh', ...sshArguments(this.#parts, ALONE), '--', node, 'sh -s'],
        stdin: rebootScript({ mark, command: this.#parts.command }, expectedBootId),
        limitMs: this.#parts.rebootLimitMs,
        onOutput: (chunk) => lines.take(chunk),
        clock: this.#parts.clock,
      },
      signal,
    )
    return rebootAnswer(node, lines, end)
  }

  ownBootId(signal: AbortSignal): Promise<string | undefined> {
    return ownBootId(signal)
  }

  async close(): Promise<void> {
    const never = new AbortController().signal
    await Promise.all([...this.#sharing.keys()].map((node) => this.#letGo(node, never)))
    const sockets = await this.#sockets
    if (sockets !== undefined) await rm(sockets, { recursive: true, force: true })
  }

  async #ask(
    node: string,
    { mark, script, limitMs }: { readonly mark: string; readonly script: string; readonly limitMs: number },
    signal: AbortSignal,
  ): Promise<{ readonly end: ProcessEnd; readonly lines: MarkedLines }> {
    const lines = new MarkedLines(mark)
    const sharing = await this.#sharingFor(node)
    const end = await runProcess(
      {
        argv: ['ssh', ...sshArguments(this.#parts, sharing), '--', node, 'sh -s'],
        stdin: script,
        limitMs,
        onOutput: (chunk) => lines.take(chunk),
        clock: this.#parts.clock,
      },
      signal,
    )
    return { end, lines }
  }

  async #config(host: string, signal: AbortSignal): Promise<string | undefined> {
    let config = ''
    const end = await runProcess(
      {
        argv: ['ssh', '-G', ...sshArguments(this.#parts, ALONE), '--', host],
        limitMs: LOCAL_LIMIT_MS,
        onOutput: (chunk) => {
          config += chunk.toString('utf8')
        },
        clock: this.#parts.clock,
      },
      signal,
    )
    return end.exitCode === 0 ? config : undefined
  }

  async #sharingFor(node: string): Promise<readonly string[]> {
    this.#sockets ??= makeSocketDirectory(this.#parts.socketDir)
    const directory = await this.#sockets
    if (directory === undefined) return ALONE
    const path = join(directory, createHash('sha256').update(node).digest('hex').slice(0, 16))
    this.#sharing.set(node, path)
    return shared(path)
  }

  /** Ends the open connection if there is one; if there is none, ssh says so, which is no error. */
  async #letGo(node: string, signal: AbortSignal): Promise<void> {
    const path = this.#sharing.get(node)
    if (path === undefined) return
    this.#sharing.delete(node)
    const { clock } = this.#parts
    const argv = ['ssh', '-O', 'exit', ...sshArguments(this.#parts, shared(path)), '--', node] as const
    await runProcess({ argv: [...argv], limitMs: LOCAL_LIMIT_MS, clock }, signal)
  }

  #mark(): string {
    return `evenkeel${this.#parts.random.hex(8)}`
  }
}

async function makeSocketDirectory(under: string | undefined): Promise<string | undefined> {
  const fits =
    under !== undefined && /^[\w./-]+$/.test(under) && under.length + '/ssh-XXXXXX/'.length + 16 <= SOCKET_PATH_MAX
  return fits ? mkdtemp(join(under, 'ssh-')) : undefined
}
