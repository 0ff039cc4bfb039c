import { WorldError } from '../../../../ground/model/world-error.ts'
import type { InstanceAddress } from '../../../model/balancer-spec.ts'
import type { RuntimeSocket } from './runtime-socket.ts'
import { addressText, adminSocketLine } from './socket-error.ts'
import { splitAnswers } from './split-answers.ts'

interface Instance {
  readonly name: string
  readonly address: InstanceAddress
  /** The socket of the master (`-S`), which section global does not set. */
  readonly isMaster?: true
}

/** The runtime API of one instance. Every error names the instance. */
export class InstanceApi {
  readonly #instance: Instance
  readonly #socket: RuntimeSocket

  constructor(instance: Instance, socket: RuntimeSocket) {
    this.#instance = instance
    this.#socket = socket
  }

  /** All commands go in one line on one connection, so that one process answers them all. */
  async ask<T>(commands: readonly string[], judge: (answers: readonly string[]) => T, signal: AbortSignal): Promise<T> {
    const reply = await this.reply(commands.join('; '), signal)
    return this.judge(() => judge(splitAnswers(reply, commands.length)))
  }

  /** The whole reply to a text. */
  async reply(text: string, signal: AbortSignal): Promise<string> {
    return await this.#socket.send(text, signal).catch((error: unknown) => {
      throw this.#named(error)
    })
  }

  /** Errors of `work` get the name of this instance. */
  judge<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw this.#named(error)
    }
  }

  close(): Promise<void> {
    return this.#socket.close()
  }

  #named(error: unknown): unknown {
    if (!(error instanceof WorldError)) return error
    const { name, address, isMaster } = this.#instance
    const needs = isMaster
      ? `HAProxy needs the option: -S ${addressText(address)},mode,660`
      : `haproxy.cfg, section global, needs: ${adminSocketLine(address)}`
    const fix = error.code === 'BALANCER_PERMISSION' ? `; ${needs}` : ''
    return new WorldError(`${name} (${addressText(address)}): ${error.message}${fix}`, {
      code: error.code,
      retry: error.retry,
      cause: error,
    })
  }
}
