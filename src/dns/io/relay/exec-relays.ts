import type { Duplex } from 'node:stream'
import type { ApiClient } from '../../../ground/kube/api-client.ts'
import { execInPod } from '../../../ground/kube/exec.ts'
import { within } from '../../../ground/kube/within.ts'
import { type ObjectRef, refKey } from '../../../ground/model/object-ref.ts'
import { OVER } from '../../../ground/model/over.ts'
import { present } from '../../../ground/model/present.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Clock } from '../../../ground/ports/clock.ts'
import type { Random } from '../../../ground/ports/random.ts'
import type { DnsRelays, OpenRelays } from '../../ports/dns-relays.ts'
import { ApiControl } from '../api-control.ts'
import { readHostPod } from '../ephemeral-relay.ts'
import { relayError } from './connect-relay.ts'
import { RelayedAsker } from './relayed-asker.ts'
import { RelayedSockets } from './relayed-sockets.ts'
import { NODE_RELAY } from './scripts/node-relay.ts'
import { PERL_RELAY } from './scripts/perl-relay.ts'
import { PYTHON_RELAY } from './scripts/python-relay.ts'

interface Parts {
  readonly client: ApiClient
  readonly clock: Clock
  readonly random: Random
  readonly pod: ObjectRef
  /** Absent: the only one. */
  readonly container?: string
}

interface Running {
  readonly stream: Duplex
  readonly sockets: RelayedSockets
  readonly program: string
}

/** Without a frame for so long the script ends, though its stdin may seem open. */
const IDLE_LIMIT_S = 30
const KEPT_ALIVE_EVERY_MS = 10_000
/** An interpreter on a busy node takes a second or two. */
const STARTED_WITHIN_MS = 10_000
const ENDED_WITHIN_MS = 2_000
/** A frame shorter than its head, which every relay ends at. */
const LAST_FRAME = Buffer.of(0, 0)
const IDLE_LIMIT = String(IDLE_LIMIT_S)

/** The first of these that the container has is the relay. */
const PROGRAMS: readonly (readonly [program: string, ...args: string[]])[] = [
  ['node', '-e', NODE_RELAY, IDLE_LIMIT],
  // Neither the variables nor the working directory of the container decide which modules it loads.
  ['python3', '-I', '-c', PYTHON_RELAY, IDLE_LIMIT],
  ['perl', '-e', PERL_RELAY, IDLE_LIMIT],
]

/** A relay in a pod that is there already, as a script that is run there: nothing is made, and nothing is left. */
export class ExecRelays implements DnsRelays {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async open(_nodes: readonly string[], signal: AbortSignal): Promise<OpenRelays> {
    const { client, clock, random, pod } = this.#parts
    const name = `pod ${refKey(pod)}`
    const without = (why: string): OpenRelays => ({
      relays: [],
      notes: [`${name} did not ask: ${why}`],
      isLacking: true,
      close: nothing,
    })
    try {
      const { node } = await readHostPod(client, pod, signal)
      const failures: string[] = []
      for (const command of PROGRAMS) {
        const tried = await this.#tried(command, signal)
        if (typeof tried === 'string') {
          failures.push(tried)
          continue
        }
        const { sockets, program } = tried
        const relay = {
          name,
          ...present({ node }),
          asker: new RelayedAsker({ sockets, clock, random }),
          control: new ApiControl(sockets),
          isOpen: () => sockets.isOpen,
        }
        const notes = [`${name} asked by ${[program, ...failures].join('; ')}`]
        return { relays: [relay], notes, isLacking: false, close: this.#closing(tried) }
      }
      return without(`${failures.join('; ')}; --ephemeral adds a container that can`)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof WorldError)) throw error
      return without(error.message)
    }
  }

  /** What runs, or why this program does not. Rejects where another one would fare no better. */
  async #tried(command: (typeof PROGRAMS)[number], signal: AbortSignal): Promise<Running | string> {
    const { client, clock, pod, container } = this.#parts
    const [program] = command
    const late = () => relayError(`${program} did not answer within ${STARTED_WITHIN_MS / 1_000} s`)
    let stream: Duplex | undefined
    let failed: unknown
    const started = async (limited: AbortSignal): Promise<Running> => {
      const exec = { pod, command, ...present({ container }) }
      stream = await execInPod(client, exec, limited)
      stream.on('error', (error) => {
        failed = error
      })
      const sockets = new RelayedSockets(stream)
      await sockets.answers(limited)
      return { stream, sockets, program }
    }
    try {
      return await within({ clock, ms: STARTED_WITHIN_MS, signal, late }, started)
    } catch (error) {
      stream?.destroy()
      if (failed instanceof WorldError && failed.code === 'KUBE_EXEC_MISSING') return `it has no ${program}`
      if (failed instanceof WorldError && failed.code === 'KUBE_EXEC_FAILED') return failed.message
      if (failed === undefined && stream?.readableEnded === true) return `${program} ended without a word`
      throw failed instanceof WorldError ? failed : error
    }
  }

  #closing({ stream, sockets, program }: Running): OpenRelays['close'] {
    const { clock, pod } = this.#parts
    const over = new AbortController()
    const keptAlive = async (): Promise<never> => {
      for (;;) {
        await clock.sleep(KEPT_ALIVE_EVERY_MS, over.signal)
        await sockets.answers(over.signal)
      }
    }
    // It fails where the check is over, or the relay is lost, which its queries say.
    keptAlive().catch(() => undefined)
    return async (signal) => {
      over.abort(OVER)
      const left = `${program} in pod ${refKey(pod)} ends by itself within ${IDLE_LIMIT_S} s`
      try {
        const late = () => relayError(left)
        await within({ clock, ms: ENDED_WITHIN_MS, signal, late }, () => ended(stream))
        return []
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof WorldError)) throw error
        return [left]
      } finally {
        stream.destroy()
      }
    }
  }
}

const nothing = async (): Promise<readonly string[]> => []

/** Once it has: the stream says so by its end or by its failure. */
function ended(stream: Duplex): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  stream.once('close', resolve)
  if (stream.destroyed) resolve()
  else stream.end(LAST_FRAME)
  return promise
}
