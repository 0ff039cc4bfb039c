import type { InstanceAddress } from '../../model/roll-spec.ts'
import { WorldError } from '../../model/world-error.ts'
import type { RuntimeSocket } from './runtime-socket.ts'
import { addressText, adminSocketLine } from './socket-error.ts'
import { splitAnswers } from './split-answers.ts'

export interface Instance {
  readonly name: string
  readonly address: InstanceAddress
}

/** The runtime API of one instance: commands in, answers judged, and every error says which instance it speaks of. */
export class InstanceApi {
  readonly #instance: Instance
  readonly #socket: RuntimeSocket

  constructor(instance: Instance, socket: RuntimeSocket) {
    this.#instance = instance
    this.#socket = socket
  }

  /** All commands go in one line on one connection, so that one process answers them all. */
  async ask<T>(commands: readonly string[], judge: (answers: readonly string[]) => T, signal: AbortSignal): Promise<T> {
    try {
      const reply = await this.#socket.send(commands.join('; '), signal)
      return judge(splitAnswers(reply, commands.length))
    } catch (error) {
      throw error instanceof WorldError ? this.#named(error) : error
    }
  }

  close(): Promise<void> {
    return this.#socket.close()
  }

  #named(error: WorldError): WorldError {
    const { name, address } = this.#instance
    const fix =
      error.code === 'BALANCER_PERMISSION' ? `; haproxy.cfg, section global, needs: ${adminSocketLine(address)}` : ''
    return new WorldError(`${name} (${addressText(address)}): ${error.message}${fix}`, {
      code: error.code,
      retry: error.retry,
      cause: error,
    })
  }
}
