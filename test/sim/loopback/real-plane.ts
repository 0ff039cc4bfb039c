import { request as httpRequest } from 'node:http'
import { Socket } from 'node:net'
import type { TestContext } from 'node:test'
import { systemSoon } from '../../../src/ground/machine/system-soon.ts'
import { systemTimers } from '../../../src/ground/machine/system-timers.ts'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import { LoopbackDataPlane } from '../../../src/sim/loopback/loopback-data-plane.ts'
import { LoopbackNet } from '../../../src/sim/loopback/loopback-net.ts'
import type { AppBehaviour } from '../../../src/sim/plane/app-behaviour.ts'
import type { PodProcess } from '../../../src/sim/plane/data-plane.ts'

export const PORT = 30_080

export interface RealPlane {
  readonly net: LoopbackNet
  readonly plane: LoopbackDataPlane
  /** Of the node of that number, from 1. */
  address(node: number): string
  pod(name: string, node: number, app?: Partial<AppBehaviour>): PodProcess
  /** From now on the node port of that node leads to these. */
  lead(node: number, pods: readonly PodProcess[]): void
}

/** Two nodes on real sockets, which are gone when the test is. */
export async function realPlane(t: TestContext, net?: LoopbackNet): Promise<RealPlane> {
  const own = net ?? (await LoopbackNet.open())
  const plane = new LoopbackDataPlane({
    net: own,
    timers: systemTimers,
    random: new SeededRandom('plane'),
    soon: systemSoon,
  })
  t.after(async () => {
    plane.end()
    await own.close()
  })
  for (const node of [1, 2]) plane.addNode(`n${node}`, own.nodeAddress(node))
  return {
    net: own,
    plane,
    address: (node) => own.nodeAddress(node),
    pod: (name, node, app = {}) =>
      plane.startPod({
        uid: name,
        name,
        namespace: 'default',
        node: `n${node}`,
        port: 8080,
        app: { startMs: 0, stop: 'graceful', graceMs: 0, answerMs: 0, ...app },
      }),
    lead: (node, pods) =>
      plane.setRules(`n${node}`, [
        { nodePort: PORT, endpoints: pods.map(({ address }) => ({ host: address, port: 8080 })) },
      ]),
  }
}

/** One HTTP request on a connection of its own: the pod that served it, or the code of what went wrong. */
export function served(host: string, port = PORT): Promise<string> {
  return new Promise((resolve) => {
    const request = httpRequest({ host, port, agent: false, timeout: 5_000 }, (response) => {
      response.resume()
      response.on('end', () => resolve(String(response.headers['x-served-by'] ?? response.statusCode)))
    })
    request.on('timeout', () => request.destroy(new Error('silent')))
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    request.end()
  })
}

/** A connection that stays, as a client without any cleverness has it. */
export class RawClient {
  readonly #socket: Socket
  said = ''
  /** `open`, or how it ended. */
  state = 'open'

  constructor(t: TestContext, host: string, port = PORT) {
    this.#socket = new Socket()
    this.#socket.connect({ host, port })
    this.#socket.setEncoding('utf8').on('data', (text: string) => {
      this.said += text
    })
    this.#socket.on('end', () => {
      this.state = 'closed'
    })
    this.#socket.on('error', (error: NodeJS.ErrnoException) => {
      this.state = error.code ?? error.message
    })
    t.after(() => this.#socket.destroy())
  }

  get isConnected(): boolean {
    return !this.#socket.connecting
  }

  ask(): void {
    this.said = ''
    this.#socket.write('GET / HTTP/1.1\r\nHost: here\r\n\r\n')
  }
}
