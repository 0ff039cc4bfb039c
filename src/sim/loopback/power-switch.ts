import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { invariant } from '../../ground/model/invariant.ts'
import type { Machine } from '../machines/machine.ts'
import { listenOn } from './listen-on.ts'

/**
 * The machines' power, for a reboot command in another process: `POST /NODE?bootId=ID` on a unix socket. 202: it goes
 * down; 409: the machine bears another boot id, which is the answer's text; 503: it cannot be asked; 404: no such machine.
 */
export class PowerSwitch {
  readonly #machineOf: (node: string) => Machine | undefined
  readonly #server: Server

  private constructor(machineOf: (node: string) => Machine | undefined) {
    this.#machineOf = machineOf
    this.#server = createServer((request, response) => this.#answer(request, response))
  }

  static async listen(path: string, machineOf: (node: string) => Machine | undefined): Promise<PowerSwitch> {
    const made = new PowerSwitch(machineOf)
    const code = await listenOn(made.#server, { path })
    invariant(code === undefined, `no socket can be made at ${path} (${code})`)
    return made
  }

  end(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://power')
    const [status, text] = this.#reboot(decodeURIComponent(pathname.slice(1)), searchParams.get('bootId') ?? '')
    request.resume()
    response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' })
    response.end(text)
  }

  #reboot(node: string, expected: string): readonly [status: number, text: string] {
    const machine = this.#machineOf(node)
    if (machine === undefined) return [404, `there is no machine ${node}`]
    const { bootId } = machine
    if (bootId === undefined) return [503, `${node} does not answer`]
    if (bootId !== expected) return [409, bootId]
    return machine.reboot() ? [202, 'going down'] : [503, `${node} does not answer`]
  }
}
