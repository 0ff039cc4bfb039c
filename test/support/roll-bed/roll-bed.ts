import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { database, edge, type WhoamiOptions, whoami } from '../../../src/sim/cluster/article-workloads.ts'
import { type Bed, openBed } from '../../../testbed/bed.ts'
import { standOutside } from '../../../testbed/machine/cgroups.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { type RawApi, type RawReply, rawApi } from '../raw-api.ts'
import { leftoversOf } from '../roll-ground/leftovers-of.ts'
import { nodeWith, placesOf } from '../roll-ground/node-with.ts'
import type { SeenObject } from '../roll-ground/roll-ground.ts'
import { type ServerState, serversOf } from '../roll-ground/servers-of.ts'
import { askSocket } from './ask-socket.ts'
import { bundleIn } from './bundle.ts'
import { Judge } from './judge.ts'
import { type LbOptions, lbConfig, WHOAMI_FRONT } from './lb-config.ts'
import { Program, type ProgramEnd } from './program.ts'
import { type RollFileFacts, rollFile } from './roll-file.ts'
import { RollProcess } from './roll-process.ts'

interface RollBedOptions extends Partial<WhoamiOptions> {
  readonly nodes?: number
  readonly fast?: boolean
  readonly monitorGraceSeconds?: number
  /** Three nodes carry the control plane, and pods like the others. */
  readonly stacked?: boolean
  readonly database?: boolean
  readonly lb?: LbOptions
  /** Requests a second of the judges; 100 unless told otherwise. */
  readonly judgeRate?: number
}

type Raw = ReturnType<typeof rawApi>
type Haproxy = Awaited<ReturnType<Bed['haproxy']>>

const RBAC = readFileSync(new URL('../../../deploy/roll-rbac.yaml', import.meta.url), 'utf8')

/** Beds that share two processors have a kube-proxy that hears late of pods that go. */
const GRACE_BESIDE_OTHERS = 8

/** Of the judges there: half of what a bed costs is traffic. */
export const RATE_BESIDE_OTHERS = 30
/** Of the roll's own traffic there, beside which a judge sends anyhow. */
const OWN_RATE_BESIDE_OTHERS = 10

interface Workload extends SeenObject {
  readonly status: {
    readonly replicas?: number
    readonly availableReplicas?: number
    readonly desiredNumberScheduled?: number
    readonly numberAvailable?: number
  }
}

const WORKLOADS = ['deployments', 'daemonsets'].map((kind) => `/apis/apps/v1/namespaces/default/${kind}`)

const isComplete = ({ status }: Workload): boolean =>
  (status.replicas ?? status.desiredNumberScheduled ?? 0) > 0 &&
  status.replicas === status.availableReplicas &&
  status.desiredNumberScheduled === status.numberAvailable

function itemsOf({ status, body }: RawReply): readonly SeenObject[] {
  if (status !== 200) throw new Error(`the API server answered ${status}`)
  return (body as { readonly items: readonly SeenObject[] }).items
}

/** Every pod of the workloads is there and ready. */
async function complete(ask: RawApi): Promise<void> {
  await waitFor({ what: 'the workloads to be complete', limitMs: 120_000, everyMs: 100 }, async () => {
    const found = (await Promise.all(WORKLOADS.map((path) => ask('GET', path)))).flatMap(itemsOf)
    return found.length > 1 && found.every((workload) => isComplete(workload as Workload)) ? true : undefined
  })
}

/** A real cluster with the article's workloads behind a real HAProxy, and the identity that `deploy/` ships. */
export class RollBed {
  readonly bed: Bed
  readonly lb: Haproxy
  /** What is shipped, as a command line without its arguments. */
  readonly program: readonly string[]
  readonly #leaveBed: () => void
  readonly #raw: Raw
  readonly #fast: boolean
  readonly #judgeRate: number
  readonly #kubeconfig: string
  readonly #stateDir: string
  readonly #started: { kill(signal: NodeJS.Signals): void }[] = []

  private constructor(parts: {
    readonly bed: Bed
    readonly leaveBed: () => void
    readonly lb: Haproxy
    readonly program: readonly string[]
    readonly raw: Raw
    readonly fast: boolean
    readonly judgeRate: number
    readonly kubeconfig: string
    readonly stateDir: string
  }) {
    this.bed = parts.bed
    this.#leaveBed = parts.leaveBed
    this.lb = parts.lb
    this.program = parts.program
    this.#raw = parts.raw
    this.#fast = parts.fast
    this.#judgeRate = parts.judgeRate
    this.#kubeconfig = parts.kubeconfig
    this.#stateDir = parts.stateDir
  }

  static async open(options: RollBedOptions = {}): Promise<RollBed> {
    const fast = options.fast ?? false
    const { nodes = 3, monitorGraceSeconds } = options
    const silence = monitorGraceSeconds === undefined ? {} : { monitorGraceSeconds }
    const plane = options.stacked === true ? { stacked: 'untainted' as const } : {}
    const bed = await openBed({ nodes, fast, darkMs: 500, ...silence, ...plane })
    const undo: (() => unknown)[] = [() => bed.close()]
    try {
      const leaveBed = options.stacked === true ? standOutside(bed.name) : () => undefined
      undo.unshift(leaveBed)
      const bundled = bundleIn(join(bed.dir, 'bundle'))
      await bed.apply(RBAC)
      const grace = fast ? { graceSeconds: GRACE_BESIDE_OTHERS } : {}
      const services = [...whoami({ service: 'improved', ...grace, ...options }), ...edge()]
      await bed.apply(options.database === false ? services : [...services, ...database(bed.nodes)])
      const { inside } = await bed.serviceAccountKubeconfig('evenkeel', 'evenkeel-roll')
      const stateDir = mkdtempSync(join(bed.dir, 'state-'))
      const program = await bundled
      const raw = rawApi(bed.kubeconfig)
      undo.unshift(raw.close)
      await complete(raw.ask)
      const addresses = bed.nodes.map((node) => bed.nodeAddress(node))
      const lb = await bed.haproxy(lbConfig(addresses, options.lb), { name: 'lb-1' })
      const judgeRate = options.judgeRate ?? 100
      const opened = new RollBed({ bed, leaveBed, raw, lb, program, fast, judgeRate, kubeconfig: inside, stateDir })
      await opened.settled()
      return opened
    } catch (error) {
      for (const step of undo) await step()
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
    const light = this.#fast ? { rate: OWN_RATE_BESIDE_OTHERS } : {}
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

  /** Another command of the program, to its end, by the identity of the rolls and beside their journals. */
  evenkeel(...words: readonly string[]): Promise<ProgramEnd> {
    const env = { KUBECONFIG: this.#kubeconfig, XDG_STATE_HOME: this.#stateDir }
    const command = new Program(this.enter([...this.program, ...words]), { env })
    this.#started.push(command)
    return command.ended()
  }

  judge(url: string = WHOAMI_FRONT, kept: { readonly keptShare?: number } = {}): Judge {
    const judge = new Judge({ url, ratePerSecond: this.#judgeRate, ...kept }, this)
    this.#started.push(judge)
    return judge
  }

  /** Every workload complete, and every server up and in service. */
  async settled(): Promise<void> {
    await complete(this.#raw.ask)
    await waitFor({ what: 'every server of the balancer to be up', limitMs: 60_000, everyMs: 100 }, async () => {
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
    return (await this.list('/api/v1/nodes')) as unknown as readonly NodeObject[]
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
    return itemsOf(await this.#raw.ask('GET', path))
  }

  async remove(path: string): Promise<void> {
    const { status } = await this.#raw.ask('DELETE', path)
    if (status >= 300) throw new Error(`${path} was not deleted: ${status}`)
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
    this.#raw.close()
    this.#leaveBed()
    await this.bed.close()
  }
}

interface NodeObject {
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> }
  readonly spec: { readonly unschedulable?: boolean; readonly taints?: readonly { readonly key: string }[] }
  readonly status: {
    readonly nodeInfo: { readonly bootID: string }
    readonly conditions: readonly { readonly type: string; readonly status: string }[]
  }
}
