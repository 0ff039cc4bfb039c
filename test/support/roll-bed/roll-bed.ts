import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { database, edge, type WhoamiOptions, whoami } from '../../../src/sim/cluster/article-workloads.ts'
import { type Bed, openBed } from '../../../testbed/bed.ts'
import { leftoversOf } from '../roll-ground/leftovers-of.ts'
import { nodeWith, placesOf } from '../roll-ground/node-with.ts'
import type { SeenObject } from '../roll-ground/roll-ground.ts'
import { type ServerState, serversOf } from '../roll-ground/servers-of.ts'
import { askSocket } from './ask-socket.ts'
import { bundleIn } from './bundle.ts'
import { Judge } from './judge.ts'
import { type LbOptions, lbConfig, WHOAMI_FRONT } from './lb-config.ts'
import { type RollFileFacts, rollFile } from './roll-file.ts'
import { RollProcess } from './roll-process.ts'
import { until } from './until.ts'

export interface RollBedOptions extends Partial<WhoamiOptions> {
  readonly nodes?: number
  readonly fast?: boolean
  readonly monitorGraceSeconds?: number
  readonly database?: boolean
  readonly lb?: LbOptions
  /** Requests a second of those who judge; 100 unless told otherwise. */
  readonly judgeRate?: number
}

type Haproxy = Awaited<ReturnType<Bed['haproxy']>>

const RBAC = readFileSync(new URL('../../../deploy/roll-rbac.yaml', import.meta.url), 'utf8')

/** Beds that share two processors have a kube-proxy that hears late of pods that go. */
const GRACE_BESIDE_OTHERS = 8

/** Of the roll's own traffic there: half of what a bed costs is traffic. */
export const RATE_BESIDE_OTHERS = 30

/** Every pod of the workloads is there and ready. */
async function complete(bed: Bed): Promise<void> {
  for (const workload of ['deployment/whoami', 'daemonset/edge']) {
    await bed.kubectl(['rollout', 'status', workload, '--timeout=120s'])
  }
}

/** A real cluster with the article's workloads behind a real HAProxy, and the identity that `deploy/` ships. */
export class RollBed {
  readonly bed: Bed
  readonly lb: Haproxy
  /** What is shipped, as a command line without its arguments. */
  readonly program: readonly string[]
  readonly #fast: boolean
  readonly #judgeRate: number
  readonly #kubeconfig: string
  readonly #stateDir: string
  readonly #started: (RollProcess | Judge)[] = []

  private constructor(parts: {
    readonly bed: Bed
    readonly lb: Haproxy
    readonly program: readonly string[]
    readonly fast: boolean
    readonly judgeRate: number
    readonly kubeconfig: string
    readonly stateDir: string
  }) {
    this.bed = parts.bed
    this.lb = parts.lb
    this.program = parts.program
    this.#fast = parts.fast
    this.#judgeRate = parts.judgeRate
    this.#kubeconfig = parts.kubeconfig
    this.#stateDir = parts.stateDir
  }

  static async open(options: RollBedOptions = {}): Promise<RollBed> {
    const fast = options.fast ?? false
    const { nodes = 3, monitorGraceSeconds } = options
    const silence = monitorGraceSeconds === undefined ? {} : { monitorGraceSeconds }
    const bed = await openBed({ nodes, fast, darkMs: 500, ...silence })
    try {
      const bundled = bundleIn(join(bed.dir, 'bundle'))
      await bed.apply(RBAC)
      const grace = fast ? { graceSeconds: GRACE_BESIDE_OTHERS } : {}
      const services = [...whoami({ service: 'improved', ...grace, ...options }), ...edge()]
      await bed.apply(options.database === false ? services : [...services, ...database(bed.nodes)])
      const { inside } = await bed.serviceAccountKubeconfig('evenkeel', 'evenkeel-roll')
      const stateDir = mkdtempSync(join(bed.dir, 'state-'))
      const program = await bundled
      await complete(bed)
      const addresses = bed.nodes.map((node) => bed.nodeAddress(node))
      const lb = await bed.haproxy(lbConfig(addresses, options.lb), { name: 'lb-1' })
      const judgeRate = options.judgeRate ?? 100
      const opened = new RollBed({ bed, lb, program, fast, judgeRate, kubeconfig: inside, stateDir })
      await opened.settled()
      return opened
    } catch (error) {
      await bed.close()
      throw error
    }
  }

  get stateDir(): string {
    return this.#stateDir
  }

  readonly enter = (argv: readonly string[]): readonly string[] => this.bed.enter(argv)

  /** Writes a roll.yaml for this bed and says where. */
  file(change: Partial<RollFileFacts> = {}): string {
    const path = join(mkdtempSync(join(this.bed.dir, 'roll-')), 'roll.yaml')
    const quick = this.#fast ? { soak: '1s', baseline: { duration: '1s' } } : {}
    const light = this.#fast ? { rate: RATE_BESIDE_OTHERS } : {}
    const spec = { ...quick, ...change.spec }
    writeFileSync(path, rollFile({ socket: this.lb.socket, sshConfig: this.bed.sshConfig, ...light, ...change, spec }))
    return path
  }

  roll(...words: readonly string[]): RollProcess {
    return this.rollWithin((argv) => argv, ...words)
  }

  /** The same with the whole command put into something else: another mount namespace. */
  rollWithin(wrap: (argv: readonly string[]) => readonly string[], ...words: readonly string[]): RollProcess {
    const env = { KUBECONFIG: this.#kubeconfig, XDG_STATE_HOME: this.#stateDir }
    const roll = new RollProcess(words, { program: this.program, enter: (argv) => wrap(this.enter(argv)), env })
    this.#started.push(roll)
    return roll
  }

  judge(url: string = WHOAMI_FRONT): Judge {
    const judge = new Judge({ url, ratePerSecond: this.#judgeRate }, this)
    this.#started.push(judge)
    return judge
  }

  /** Every workload complete, and every server up and in service. */
  async settled(): Promise<void> {
    await complete(this.bed)
    await until({ what: 'every server of the balancer to be up', limitMs: 60_000 }, async () => {
      const states = await this.servers()
      return states.length > 0 && states.every((server) => server.up && server.state === 'ready') ? true : undefined
    })
  }

  servers(): Promise<readonly ServerState[]> {
    return serversOf(this)
  }

  /** As an operator would by hand. */
  async lbSet(server: string, state: 'ready' | 'drain' | 'maint'): Promise<void> {
    const answer = await this.balancer(`set server ${server} state ${state}`)
    if (answer.trim() !== '') throw new Error(`HAProxy answered: ${answer}`)
  }

  async nodeObjects(): Promise<readonly NodeObject[]> {
    const { items } = JSON.parse(await this.bed.kubectl(['get', 'nodes', '-o', 'json'])) as {
      items: readonly NodeObject[]
    }
    return items
  }

  leftovers(): Promise<readonly string[]> {
    return leftoversOf(this)
  }

  nodeWith(app: string): Promise<string> {
    return nodeWith(this, app)
  }

  /** The node with the fewest pods of the app, for whom a drain is not what matters. */
  async nodeWithFewest(app: string): Promise<string> {
    const places = await placesOf(this, app)
    const podsOn = (node: string): number => places.filter((place) => place === node).length
    const [first = ''] = this.bed.nodes.toSorted((left, right) => podsOn(left) - podsOn(right))
    return first
  }

  /** Objects of a collection, by its path. */
  readonly list = async (path: string): Promise<readonly SeenObject[]> => {
    const { items } = JSON.parse(await this.bed.kubectl(['get', '--raw', path])) as {
      readonly items: readonly SeenObject[]
    }
    return items
  }

  /** The whole reply of HAProxy's runtime API. */
  readonly balancer = (line: string): Promise<string> => askSocket(this.lb.socket, line)

  async bootIds(): Promise<Readonly<Record<string, string>>> {
    const nodes = await this.nodeObjects()
    return Object.fromEntries(nodes.map(({ metadata, status }) => [metadata.name, status.nodeInfo.bootID]))
  }

  /** A test that failed half-way leaves processes behind, which would wait for a cluster that is gone. */
  async close(): Promise<void> {
    for (const process of this.#started) process.kill('SIGKILL')
    await this.bed.close()
  }
}

export interface NodeObject {
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> }
  readonly spec: { readonly unschedulable?: boolean; readonly taints?: readonly { readonly key: string }[] }
  readonly status: { readonly nodeInfo: { readonly bootID: string } }
}
