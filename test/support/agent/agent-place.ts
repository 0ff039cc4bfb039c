import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import type { Ask } from '../../contract/api/api-door.ts'
import { httpClientDoor } from '../../contract/doors/http-client-door.ts'
import { smallWorld } from '../../contract/doors/small-world.ts'
import { LoopbackApi } from '../loopback-api.ts'
import { shippedProgram } from '../shipped-program.ts'

const PROGRAM = shippedProgram('agent')
const N1 = '/api/v1/nodes/n1'
const GRANTS = '/api/v1/namespaces/default/configmaps'

/** Of `/healthz`, what the tests look at. */
interface Health {
  readonly answer: string
  readonly reasons: readonly { readonly code: string }[]
  readonly maintenance: { readonly acknowledged: readonly string[] }
  readonly connections: number | 'unknown'
  readonly polls: readonly {
    readonly address: string
    readonly sinceAnswer: number
    readonly total: number
    readonly agoMs: number
    readonly answer: string
  }[]
  readonly brake: { readonly state: string }
  readonly trouble: readonly string[]
  readonly ingress?: readonly {
    readonly name: string
    readonly answer: string
    readonly ports: readonly { readonly port: number; readonly open: boolean }[]
    readonly reasons: readonly { readonly code: string }[]
    readonly readyPods: number
    readonly minReadyPods: number
    readonly polls: Health['polls']
  }[]
}

export interface RunningAgent {
  readonly health: () => Promise<Health>
  /** Status and body of a page of the agent. */
  readonly page: (path: string, port?: 'data' | 'status') => Promise<string>
  /** Of health checks. */
  readonly port: number
  readonly agentCheckPort: number
  readonly statusPort: number
  readonly pid: number
  readonly kill: (signal: NodeJS.Signals) => Promise<number | null>
}

/** The command that runs a program where it is to run. */
export type Enter = (argv: readonly string[]) => readonly string[]

/** An embedded API server over HTTP, which may go away and come back, and agents of node n1. */
export class AgentPlace {
  readonly directory: string
  readonly #world = smallWorld()
  readonly #agents: Pick<RunningAgent, 'kill'>[] = []
  readonly #api: LoopbackApi
  readonly #enter: Enter

  private constructor(directory: string, enter: Enter) {
    this.directory = directory
    this.#enter = enter
    this.#api = new LoopbackApi(this.#world.world, directory)
  }

  static async of(t: TestContext, enter: Enter = (argv) => argv): Promise<AgentPlace> {
    const directory = await mkdtemp(join(tmpdir(), 'evenkeel-agent-'))
    const place = new AgentPlace(directory, enter)
    t.after(async () => {
      await Promise.all(place.#agents.map((agent) => agent.kill('SIGKILL')))
      place.away()
      place.#world.close()
      await rm(directory, { recursive: true, force: true })
    })
    await place.back()
    return place
  }

  /** The rights that the agents needed so far. */
  get needed(): ReadonlySet<string> {
    return this.#api.needed
  }

  back(): Promise<void> {
    return this.#api.back()
  }

  away(): void {
    this.#api.away()
  }

  async patch(body: unknown): Promise<void> {
    assert.equal(await this.ask('PATCH', N1, { body, contentType: 'application/merge-patch+json' }), 200)
  }

  /** What the brake says from now on; undefined takes it away. */
  async grants(text: string | undefined): Promise<void> {
    const name = `${GRANTS}/evenkeel-cordon-grants`
    if (text === undefined) return void assert.equal(await this.ask('DELETE', name), 200)
    const body = { metadata: { name: 'evenkeel-cordon-grants' }, data: { grants: text } }
    const status = await this.ask('PATCH', name, { body, contentType: 'application/merge-patch+json' })
    if (status === 404) assert.equal(await this.ask('POST', GRANTS, { body }), 201)
    else assert.equal(status, 200)
  }

  /** The status of the reply of the API server. */
  async ask(method: string, path: string, ask?: Ask): Promise<number> {
    return (await this.reply(method, path, ask)).status
  }

  async reply(method: string, path: string, ask?: Ask) {
    const { door, close } = httpClientDoor(this.#api.url)
    const reply = await door.ask(method, path, ask)
    close()
    return reply
  }

  async isRemembered(file = 'memory', wanted = '"answer":"drain"', memory = 'run'): Promise<true | undefined> {
    // Before its first pass there is none.
    const text = await readFile(join(this.directory, memory, `${file}.json`), 'utf8').catch(() => '')
    return text.includes(wanted) ? true : undefined
  }

  async agent(...more: readonly string[]): Promise<RunningAgent> {
    const keepDir = ['--keep-dir', join(this.directory, 'lib')]
    const { child, ended, kill } = this.#spawn([
      ...keepDir,
      '--port',
      '0',
      '--status-port',
      '0',
      '--up-delay',
      '0',
      ...more,
    ])
    const { promise, resolve, reject } = Promise.withResolvers<readonly number[]>()
    let last = ''
    ended.then(() => reject(new Error(`the agent ended with ${child.exitCode}: ${last}`)), reject)
    createInterface({ input: child.stderr }).on('line', (line) => {
      last = line
      if (!line.startsWith('{')) return reject(new Error(line))
      const { ports: opened } = JSON.parse(line) as { readonly ports?: readonly number[] }
      if (opened !== undefined) resolve(opened)
    })
    const [statusPort = 0, data = 0, agentCheckPort = 0] = await promise
    const page = async (path: string, port: 'data' | 'status' = 'data'): Promise<string> => {
      const reply = await fetch(`http://127.0.0.1:${port === 'data' ? data : statusPort}${path}`)
      return `${reply.status} ${await reply.text()}`
    }
    const health = async (): Promise<Health> => JSON.parse((await page('/healthz', 'status')).slice(4)) as Health
    return { page, health, kill, port: data, agentCheckPort, statusPort, pid: child.pid ?? 0 }
  }

  /** The process of a pod that answers for one IngressDaemonSet alone; `memory`: a directory that is this pod's. */
  ingressPod(ingress: string, memory: string, ...more: readonly string[]) {
    const { child, ended, kill } = this.#spawn(['--ingress-only', ingress, ...more], memory)
    const said: string[] = []
    createInterface({ input: child.stderr }).on('line', (line) => said.push(line))
    return { kill, said, ended: async (): Promise<number | null> => (await ended)[0] as number | null }
  }

  #spawn(words: readonly string[], memory = 'run') {
    const places = ['--kubeconfig', this.#api.kubeconfig, '--memory-dir', join(this.directory, memory)]
    const program = [process.execPath, '--disable-warning=ExperimentalWarning', PROGRAM, '--node', 'n1']
    const [command = '', ...args] = this.#enter([...program, ...places, '--address', '127.0.0.1', ...words])
    const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'pipe'] })
    const ended = once(child, 'exit')
    const kill = async (signal: NodeJS.Signals): Promise<number | null> => {
      child.kill(signal)
      await ended
      return child.exitCode
    }
    this.#agents.push({ kill })
    return { child, ended, kill }
  }
}

/** Once `/nodecheck` says so. */
export const answers = (agent: RunningAgent, wanted: string): Promise<true> =>
  waitFor({ what: `the answer ${wanted}`, limitMs: 5_000, everyMs: 5 }, async () =>
    (await agent.page('/nodecheck')) === wanted ? true : undefined,
  )
