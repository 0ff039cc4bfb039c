import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { UserError } from '../../ground/model/user-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { BalancerConfig } from '../balancer/balancer-config.ts'
import { askSocket } from './ask-socket.ts'
import { haproxyConfig } from './haproxy-config.ts'

interface HaproxyParts {
  /** Absolute. */
  readonly program: string
  /** Private to us; the socket and the configuration lie in it. */
  readonly folder: string
  readonly config: BalancerConfig
  readonly clock: Clock
}

const START_LIMIT_MS = 10_000
const POLL_EVERY_MS = 20
const LAST_WORDS = 500
/** It tries for seconds to have a port that is taken, and ends. */
const TAKEN = /Address already in use/

/** Ends HAProxy as soon as no process holds the other end of its input: it never outlives its owner, however that ends. */
const LEASH = '"$0" -db -f "$1" </dev/null & trap "kill -9 $!" EXIT; read -r _'

/** A real HAProxy in front of the embedded cluster. */
export class HaproxyProcess {
  readonly socket: string
  readonly #child: ChildProcess
  #said = ''

  private constructor({ program, folder }: HaproxyParts, socket: string) {
    this.socket = socket
    // A Ctrl-C at the terminal is for us alone.
    this.#child = spawn('sh', ['-c', LEASH, program, join(folder, 'haproxy.cfg')], {
      detached: true,
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-LAST_WORDS)
    })
  }

  /** Settles once its socket answers. UserError `demo.port` where a port of the configuration is taken, else `demo.haproxy`. */
  static async start(parts: HaproxyParts, signal: AbortSignal): Promise<HaproxyProcess> {
    const { folder, config, clock } = parts
    const socket = join(folder, 'haproxy.sock')
    await writeFile(join(folder, 'haproxy.cfg'), haproxyConfig(config, socket), { mode: 0o600 })
    const made = new HaproxyProcess(parts, socket)
    try {
      const limitAtMs = clock.monoMs() + START_LIMIT_MS
      while (!(await askSocket(socket, 'show info').catch(() => '')).includes('Pid: ')) {
        if (TAKEN.test(made.#said) || clock.monoMs() > limitAtMs) throw silent(made.#said)
        await clock.sleep(POLL_EVERY_MS, signal)
      }
      return made
    } catch (error) {
      await made.end()
      throw error
    }
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const exited = once(this.#child, 'exit')
    this.#child.stdin?.end()
    await exited
  }
}

const silent = (said: string): UserError =>
  new UserError(`HAProxy does not answer: ${escapeForeign(said.trim(), LAST_WORDS)}`, {
    ...(TAKEN.test(said)
      ? { code: 'demo.port', fix: 'choose another port, or omit --port' }
      : { code: 'demo.haproxy', fix: 'do without it: --balancer embedded' }),
  })
