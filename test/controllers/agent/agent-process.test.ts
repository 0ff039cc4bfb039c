import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { systemTimers } from '../../../src/adapters/node/system-timers.ts'
import { httpDoor } from '../../../src/sim/doors/http-door.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { httpClientDoor } from '../../contract/doors/http-client-door.ts'
import { smallWorld } from '../../contract/doors/small-world.ts'

const PROGRAM = fileURLToPath(new URL('../../../bin/agent.ts', import.meta.url))
const N1 = '/api/v1/nodes/n1'

interface Running {
  /** Status and body of a page of the agent. */
  readonly page: (path: string, port?: 'data' | 'status') => Promise<string>
  readonly kill: (signal: NodeJS.Signals) => Promise<number | null>
}

/** An embedded API server over HTTP, which may go away and come back, and agents of node n1. */
class Place {
  readonly directory: string
  readonly #world = smallWorld()
  readonly #agents: Pick<Running, 'kill'>[] = []
  readonly #sockets = new Set<{ destroy(): void }>()
  #port = 0
  #server: ReturnType<typeof httpDoor> | undefined

  private constructor(directory: string) {
    this.directory = directory
  }

  static async of(t: TestContext): Promise<Place> {
    const directory = await mkdtemp(join(tmpdir(), 'evenkeel-agent-'))
    const place = new Place(directory)
    t.after(async () => {
      await Promise.all(place.#agents.map((agent) => agent.kill('SIGKILL')))
      place.away()
      place.#world.close()
      await rm(directory, { recursive: true, force: true })
    })
    await place.back()
    return place
  }

  async back(): Promise<void> {
    const server = httpDoor({ world: this.#world.world, timers: systemTimers })
    server.on('connection', (socket) => this.#sockets.add(socket))
    server.listen(this.#port, '127.0.0.1')
    await once(server, 'listening')
    this.#port = (server.address() as AddressInfo).port
    this.#server = server
    const cluster = { name: 'it', cluster: { server: `http://127.0.0.1:${this.#port}` } }
    const context = { name: 'it', context: { cluster: 'it', user: 'me' } }
    const user = { name: 'me', user: { token: 'none' } }
    const config = { 'current-context': 'it', clusters: [cluster], users: [user], contexts: [context] }
    await writeFile(join(this.directory, 'kubeconfig'), JSON.stringify(config))
  }

  away(): void {
    this.#server?.close()
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
  }

  async patch(body: unknown): Promise<void> {
    const { door, close } = httpClientDoor(`http://127.0.0.1:${this.#port}`)
    const { status } = await door.ask('PATCH', N1, { body, contentType: 'application/merge-patch+json' })
    close()
    assert.equal(status, 200)
  }

  async isRemembered(): Promise<true | undefined> {
    const text = await readFile(join(this.directory, 'run', 'memory.json'), 'utf8')
    return text.includes('"answer":"drain"') ? true : undefined
  }

  async agent(...more: readonly string[]): Promise<Running> {
    const at = (name: string): string => join(this.directory, name)
    const places = ['--kubeconfig', at('kubeconfig'), '--memory-dir', at('run'), '--keep-dir', at('lib')]
    const ports = ['--address', '127.0.0.1', '--port', '0', '--status-port', '0', '--up-delay', '0']
    const args = ['--disable-warning=ExperimentalWarning', PROGRAM, '--node', 'n1', ...places, ...ports, ...more]
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'pipe'] })
    const ended = once(child, 'exit')
    const kill = async (signal: NodeJS.Signals): Promise<number | null> => {
      child.kill(signal)
      await ended
      return child.exitCode
    }
    this.#agents.push({ kill })
    const { promise, resolve, reject } = Promise.withResolvers<readonly number[]>()
    ended.then(() => reject(new Error('the agent ended')), reject)
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (!line.startsWith('{')) return reject(new Error(line))
      const { ports: opened } = JSON.parse(line) as { readonly ports?: readonly number[] }
      if (opened !== undefined) resolve(opened)
    })
    const [status = 0, data = 0] = await promise
    const page = async (path: string, port: 'data' | 'status' = 'data'): Promise<string> => {
      const reply = await fetch(`http://127.0.0.1:${port === 'data' ? data : status}${path}`)
      return `${reply.status} ${await reply.text()}`
    }
    return { page, kill }
  }
}

const answers = (agent: Running, wanted: string): Promise<true> =>
  waitFor({ what: `the answer ${wanted}`, limitMs: 5_000, everyMs: 5 }, async () =>
    (await agent.page('/nodecheck')) === wanted ? true : undefined,
  )

test('a cordon is answered, outlasts the API server and the agent, and its end is heard when that is back', async (t) => {
  const place = await Place.of(t)
  const first = await place.agent()
  await answers(first, '200 OK')
  assert.equal(await first.page('/nodename'), '200 Node: "n1"')
  await place.patch({ spec: { unschedulable: true } })
  await answers(first, '503 Down')
  place.away()
  assert.equal(await first.page('/nodecheck'), '503 Down')
  // What was heard is answered at once and written a moment later.
  await waitFor({ what: 'the cordon to be remembered', limitMs: 5_000, everyMs: 5 }, () => place.isRemembered())
  await first.kill('SIGKILL')
  const second = await place.agent()
  assert.equal(await second.page('/nodecheck'), '503 Down')
  assert.equal(await second.page('/readyz', 'status'), '503 no\n')
  assert.equal(await second.page('/livez', 'status'), '200 ok\n')
  await place.back()
  await place.patch({ spec: { unschedulable: false } })
  await answers(second, '200 OK')
  assert.equal(await second.page('/readyz', 'status'), '200 ok\n')
  assert.equal(await second.kill('SIGTERM'), 0)
})

test('a request is acknowledged on the status port, and by no page that load balancers ask for', async (t) => {
  const place = await Place.of(t)
  const agent = await place.agent('--dialect', 'disable-on-404')
  await answers(agent, '200 OK')
  const request = { version: 1, id: 'r-1', run: '20260101T000000Z-0001', at: '2026-01-01T00:00:00.000Z' }
  await place.patch({ metadata: { annotations: { 'evenkeel.dev/maintenance': JSON.stringify(request) } } })
  await answers(agent, '404 Drain')
  const acknowledged = async (): Promise<true | undefined> => {
    const { maintenance } = JSON.parse((await agent.page('/healthz', 'status')).slice(4))
    return maintenance.acknowledged.join() === 'r-1' ? true : undefined
  }
  await waitFor({ what: 'the request to be acknowledged', limitMs: 5_000, everyMs: 5 }, acknowledged)
  assert.equal(await agent.page('/healthz'), '404 there is no such page\n')
  assert.match(await agent.page('/metrics', 'status'), /^evenkeel_agent_answer\{answer="drain"\} 1$/m)
  assert.match(await agent.page('/probers', 'status'), /"address":"127\.0\.0\.1"/)
})

test('an agent of a node that nobody knows says so and sends nobody there', async (t) => {
  const place = await Place.of(t)
  const agent = await place.agent('--node', 'n9')
  await answers(agent, '503 Down')
  const { reasons } = JSON.parse((await agent.page('/healthz', 'status')).slice(4))
  assert.deepEqual(reasons, [{ code: 'NodeGone', text: 'the API server knows no such node' }])
})
