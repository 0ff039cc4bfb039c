import { randomInt } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemTimers } from '../../src/ground/machine/system-timers.ts'
import { httpDoor } from '../../src/sim/doors/http-door.ts'
import { listenOn } from '../../src/sim/loopback/listen-on.ts'
import type { World } from '../../src/sim/world/world.ts'
import { requestedBy } from './requested-rights.ts'

/** Below the ports that Linux gives to outgoing connections, one of which could take the port of an API that is away. */
const PORTS = [20_000, 30_000] as const

/** A world's API over HTTP, which may go away and come back at the same port, and a kubeconfig that leads there. */
export class LoopbackApi {
  readonly kubeconfig: string
  /** The rights that our programs needed for all that they have asked, as `requestedBy` has them. */
  readonly needed = new Set<string>()
  /** The path of each watch that our programs have begun. */
  readonly watched: string[] = []
  readonly #world: World
  readonly #sockets = new Set<{ destroy(): void }>()
  #port = 0
  #server: ReturnType<typeof httpDoor> | undefined

  constructor(world: World, directory: string) {
    this.#world = world
    this.kubeconfig = join(directory, 'kubeconfig')
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  async back(): Promise<void> {
    const server = httpDoor({ world: this.#world, timers: systemTimers })
    server.on('connection', (socket) => this.#sockets.add(socket))
    server.on('request', ({ method = 'GET', url = '/', headers }) => {
      if (headers['user-agent']?.startsWith('evenkeel') !== true) return
      const { pathname: path, searchParams: query } = new URL(url, this.url)
      for (const right of requestedBy({ method, path, query })) this.needed.add(right)
      if (query.get('watch') !== null) this.watched.push(path)
    })
    this.#port = await listening(server, this.#port)
    this.#server = server
    const cluster = { name: 'it', cluster: { server: this.url } }
    const context = { name: 'it', context: { cluster: 'it', user: 'me' } }
    const user = { name: 'me', user: { token: 'none' } }
    const config = { 'current-context': 'it', clusters: [cluster], users: [user], contexts: [context] }
    await writeFile(this.kubeconfig, JSON.stringify(config))
  }

  away(): void {
    this.#server?.close()
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
  }
}

/** Listens at a port of its own, or again at the one that it had. */
async function listening(server: ReturnType<typeof httpDoor>, had: number): Promise<number> {
  for (;;) {
    const port = had === 0 ? randomInt(...PORTS) : had
    const code = await listenOn(server, { host: '127.0.0.1', port })
    if (code === undefined) return port
    if (code !== 'EADDRINUSE' || had !== 0) throw new Error(`port ${port} cannot be taken: ${code}`)
  }
}
