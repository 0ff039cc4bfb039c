import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Sockets } from '../../../src/dns/io/sockets.ts'
import type { ControlProbe } from '../../../src/dns/ports/control-probe.ts'
import type { Endpoint } from '../../../src/ground/model/endpoint.ts'

/**
 * The control of places in the embedded cluster: /version of its API at the cluster IP of `default/kubernetes`, without a credential.
 * That API speaks plain HTTP, and its Service has another port than 443, which takes root.
 */
export class PlainApiControl implements ControlProbe {
  readonly #sockets: Pick<Sockets, 'tcp'>
  readonly #port: number

  constructor(sockets: Pick<Sockets, 'tcp'>, port: number) {
    this.#sockets = sockets
    this.#port = port
  }

  async reaches({ address }: Endpoint, signal: AbortSignal): Promise<boolean> {
    const connection = this.#sockets.tcp({ address, port: this.#port })
    try {
      const { kind, gitVersion } = JSON.parse(await this.#version(connection, signal)) ?? {}
      return typeof gitVersion === 'string' || kind === 'Status'
    } catch {
      signal.throwIfAborted()
      return false
    } finally {
      connection.destroy()
    }
  }

  #version(connection: ReturnType<Sockets['tcp']>, signal: AbortSignal): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    request({ createConnection: () => connection, path: '/version', signal }, (response) => {
      text(response).then(resolve, reject)
    })
      .on('error', reject)
      .end()
    return promise
  }
}
