import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { invariant } from '../../ground/model/invariant.ts'
import type { Timers } from '../../ground/ports/timers.ts'
import { httpDoor } from '../doors/http-door.ts'
import { ApiFailure } from '../world/api-failure.ts'
import type { World } from '../world/world.ts'
import { listenOn } from './listen-on.ts'

const HERE = '127.0.0.1'

interface ApiServerParts {
  readonly world: World
  readonly timers: Timers
  /** A client that knows the token may do everything. */
  readonly token: string
}

/**
 * The API of an embedded cluster over plain HTTP, on 127.0.0.1 alone. A client must send the token, or name it as the
 * first part of the path: kubectl sends no credentials where there is no TLS (client-go, clientcmd, ClientConfig).
 */
export class ApiServer {
  readonly #token: string
  readonly #door: Server
  readonly #server: Server

  private constructor(parts: ApiServerParts) {
    this.#token = parts.token
    this.#door = httpDoor(parts)
    this.#server = createServer((request, response) => this.#admit(request, response))
  }

  static async open(parts: ApiServerParts): Promise<ApiServer> {
    const made = new ApiServer(parts)
    const code = await listenOn(made.#server, { host: HERE, port: 0 })
    invariant(code === undefined, `no port of ${HERE} is free (${code})`)
    return made
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://${HERE}:${this.port}/${this.#token}`
  }

  /** For kubectl and every other client that reads its files. */
  kubeconfig(name: string): string {
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name, cluster: { server: this.url } }],
      users: [{ name, user: { token: this.#token } }],
      contexts: [{ name, context: { cluster: name, user: name } }],
      'current-context': name,
    }
    return `${JSON.stringify(config, null, 2)}\n`
  }

  end(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  #admit(request: IncomingMessage, response: ServerResponse): void {
    const prefix = `/${this.#token}`
    const { url = '/', headers } = request
    const isNamed = url === prefix || url.startsWith(`${prefix}/`)
    if (isNamed || headers.authorization === `Bearer ${this.#token}`) {
      if (isNamed) request.url = url.slice(prefix.length) || '/'
      this.#door.emit('request', request, response)
      return
    }
    const { code, status } = new ApiFailure({ code: 401, reason: 'Unauthorized', message: 'Unauthorized' })
    request.resume()
    response.writeHead(code, { 'content-type': 'application/json' })
    response.end(JSON.stringify(status))
  }
}
