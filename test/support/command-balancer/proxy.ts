/**
 * A balancer of the tests' own, as a process of its own: `proxy CONFIG`, which is JSON. It knows nothing of Even Keel: a file
 * `wanted/NODE` in its folder takes a node out, which it follows late, and `states/NODE` says how far it is. It checks no
 * node, so that a request to one that cannot serve fails.
 */
import { existsSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import process from 'node:process'

export interface ProxyConfig {
  readonly port: number
  readonly folder: string
  /** From the wish until the node is out, or in; while a node leaves it is still sent requests. */
  readonly lateMs: number
  readonly servers: readonly { readonly name: string; readonly address: string; readonly port: number }[]
}

const LOOK_EVERY_MS = 20

class Backend {
  readonly #at: ProxyConfig['servers'][number]
  readonly #config: ProxyConfig
  #state: 'in' | 'leaving' | 'out' | 'returning' = 'in'
  #since = 0
  #sessions = 0
  #total = 0
  #written = ''

  constructor(config: ProxyConfig, at: ProxyConfig['servers'][number]) {
    this.#config = config
    this.#at = at
    // A server that was out when the balancer was restarted is out from the start.
    if (this.#isUnwanted()) this.#state = 'out'
    this.look()
  }

  get takesRequests(): boolean {
    return this.#state === 'in' || this.#state === 'leaving'
  }

  look(): void {
    const now = performance.now()
    const isUnwanted = this.#isUnwanted()
    const isLate = now - this.#since >= this.#config.lateMs
    if (isUnwanted && (this.#state === 'in' || this.#state === 'returning')) this.#become('leaving', now)
    else if (!isUnwanted && (this.#state === 'out' || this.#state === 'leaving')) this.#become('returning', now)
    else if (this.#state === 'leaving' && isLate) this.#become('out', now)
    else if (this.#state === 'returning' && isLate) this.#become('in', now)
    this.#tell()
  }

  forward(from: IncomingMessage, to: ServerResponse): void {
    const { address: host, port } = this.#at
    this.#sessions += 1
    this.#total += 1
    to.once('close', () => {
      this.#sessions -= 1
    })
    const { method = 'GET', url: path = '/' } = from
    request({ host, port, method, path, agent: false, headers: { host: `${host}:${port}` } }, (answer) => {
      to.writeHead(answer.statusCode ?? 502)
      answer.pipe(to)
    })
      .on('error', () => (to.headersSent ? to.destroy() : to.writeHead(502).end()))
      .end()
  }

  #become(state: 'in' | 'leaving' | 'out' | 'returning', now: number): void {
    this.#state = state
    this.#since = now
  }

  #isUnwanted(): boolean {
    return existsSync(join(this.#config.folder, 'wanted', this.#at.name))
  }

  #tell(): void {
    const text = JSON.stringify({
      node: this.#at.name,
      state: this.#state,
      sessions: this.#sessions,
      total: this.#total,
    })
    if (text === this.#written) return
    const path = join(this.#config.folder, 'states', this.#at.name)
    writeFileSync(`${path}.new`, text)
    renameSync(`${path}.new`, path)
    this.#written = text
  }
}

const config = JSON.parse(process.argv[2] ?? '') as ProxyConfig
for (const name of ['wanted', 'states']) mkdirSync(join(config.folder, name), { recursive: true })
const backends = config.servers.map((server) => new Backend(config, server))
let turn = 0

createServer((from, to) => {
  turn += 1
  const open = backends.filter(({ takesRequests }) => takesRequests)
  const backend = open[turn % open.length]
  if (backend === undefined) to.writeHead(503).end()
  else backend.forward(from, to)
}).listen(config.port, '127.0.0.1', () => process.stdout.write('listening\n'))

setInterval(() => {
  for (const backend of backends) backend.look()
}, LOOK_EVERY_MS)
