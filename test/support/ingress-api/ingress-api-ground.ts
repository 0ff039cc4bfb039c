import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bed } from '../../../testbed/bed.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { ControllerProcess } from '../controller/controller-process.ts'
import { type RawApi, type RawReply, rawApi } from '../raw-api.ts'
import { ApiHistory } from './api-history.ts'
import { type ApiObject, annotationOf, KINDS, PATHS } from './api-object.ts'
import { openIngressPlane } from './ingress-plane.ts'
import { StandInKubelets } from './stand-in-kubelets.ts'
import { makeStandInNode } from './stand-in-node.ts'

interface Words {
  /** Of the annotation on a Node that asks. */
  readonly asked: string
  /** Of the annotation that answers. */
  readonly answered: string
}

/** As node-detacher does it: it writes when a node was detached, and removes that once the node is attached again. */
class StandInDetacher {
  readonly #api: RawApi
  readonly #words: Words
  readonly #busy = new Set<string>()
  readonly failures: unknown[] = []
  #ended = false

  constructor({ history, api }: { readonly history: ApiHistory; readonly api: RawApi }, words: Words) {
    this.#api = api
    this.#words = words
    history.onChange(({ kind, type, object }) => {
      if (kind === 'nodes' && type !== 'DELETED') this.#look(object)
    })
    for (const node of history.now('nodes')) this.#look(node)
  }

  end(): void {
    this.#ended = true
  }

  #look(node: ApiObject): void {
    const { asked, answered } = this.#words
    const isAsked = annotationOf(node, asked) !== undefined
    if (this.#ended || isAsked === (annotationOf(node, answered) !== undefined)) return
    const { name, resourceVersion } = node.metadata
    // One answer to each version: the next version is told when this one was answered.
    if (this.#busy.has(`${name} ${resourceVersion}`)) return
    this.#busy.add(`${name} ${resourceVersion}`)
    const stamp = isAsked ? new Date().toISOString() : null
    const body = { metadata: { resourceVersion, annotations: { [answered]: stamp } } }
    this.#api('PATCH', `/api/v1/nodes/${name}`, body).then(
      ({ status, body: said }) => {
        if (status !== 200 && status !== 409 && status !== 404) this.failures.push(said)
      },
      (error: unknown) => {
        if (!this.#ended) this.failures.push(error)
      },
    )
  }
}

const GROUPS = ['evenkeel.dev', 'ingressdaemonsets.mumoshu.github.io']
/** On a machine that has other work. */
const WAIT_MS = 180_000

/** Of every controller here. */
export const CONTROLLER_WORDS = [
  ...['--namespace', 'evenkeel', '--status-port', '0'],
  ...['--ingress', '--ingress-groups', GROUPS.join()],
]

interface GroundParts {
  readonly bed: Bed
  readonly history: ApiHistory
  readonly api: RawApi
  readonly closeApi: () => void
  /** Of the controller, with the rights of the chart. */
  readonly kubeconfig: string
}

/** A real control plane with Nodes that no machine stands for, and a controller of its own process. */
export class IngressApiGround {
  readonly history: ApiHistory
  readonly api: RawApi
  readonly kubeconfig: string
  readonly #parts: GroundParts
  readonly #kubelets: StandInKubelets
  readonly #detachers: StandInDetacher[] = []
  readonly #controllers: ControllerProcess[] = []

  private constructor(parts: GroundParts) {
    this.#parts = parts
    this.history = parts.history
    this.api = parts.api
    this.kubeconfig = parts.kubeconfig
    this.#kubelets = new StandInKubelets(parts.history, parts.api)
  }

  /** `maxOut`: of the node budget. */
  static async open(maxOut: string): Promise<IngressApiGround> {
    const { bed, kubeconfigs } = await openIngressPlane({ maxOut, groups: GROUPS })
    const { ask, close } = rawApi(bed.kubeconfig)
    try {
      const history = new ApiHistory(bed.kubeconfig)
      const ground = new IngressApiGround({ bed, history, api: ask, closeApi: close, kubeconfig: kubeconfigs.outside })
      await history.follow(KINDS.filter((kind) => kind !== 'guards'))
      return ground
    } catch (error) {
      close()
      await bed.close()
      throw error
    }
  }

  get bed(): Bed {
    return this.#parts.bed
  }

  /** What went wrong in what stands in for kubelets and detachers. */
  failures(): readonly unknown[] {
    return [...this.#kubelets.failures, ...this.#detachers.flatMap(({ failures }) => failures)]
  }

  /** A kubeconfig of the controller that leads to a door on the way to the API server. */
  kubeconfigBy(port: number): string {
    const config = JSON.parse(this.#read()) as { clusters: { cluster: object }[] }
    const path = join(this.bed.dir, `by-${port}.kubeconfig`)
    const clusters = config.clusters.map((one) => ({ ...one, cluster: { server: `http://127.0.0.1:${port}` } }))
    writeFileSync(path, JSON.stringify({ ...config, clusters }), { mode: 0o600 })
    return path
  }

  async controller(...words: readonly string[]): Promise<ControllerProcess> {
    const place = ['--kubeconfig', this.kubeconfig, ...CONTROLLER_WORDS]
    const controller = await ControllerProcess.start([...place, ...words])
    this.#controllers.push(controller)
    return controller
  }

  detacher(asked: string, answered: string): void {
    const { history, api } = this.#parts
    this.#detachers.push(new StandInDetacher({ history, api }, { asked, answered }))
  }

  /** Nodes that are Ready, with these labels. */
  async nodes(names: readonly string[], labels: Readonly<Record<string, string>>): Promise<void> {
    await Promise.all(names.map((name) => makeStandInNode(this.mustAsk.bind(this), name, labels)))
    await this.until(`${names.join()} to be Ready and untainted`, () => {
      const nodes = this.history.now('nodes').filter(({ metadata }) => names.includes(metadata.name))
      return nodes.length === names.length && nodes.every(({ spec = {} }) => spec.taints === undefined)
    })
  }

  async mustAsk(method: string, path: string, body?: object): Promise<unknown> {
    const reply: RawReply = await this.api(method, path, body)
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body
  }

  async annotateNode(name: string, annotations: Readonly<Record<string, string | null>>): Promise<void> {
    await this.mustAsk('PATCH', `${PATHS.nodes}/${name}`, { metadata: { annotations } })
  }

  until(what: string, holds: () => boolean, limitMs = WAIT_MS): Promise<true> {
    const explain = (): string => [...this.failures().map(String), ...this.#controllers.flatMap(lastWords)].join('\n')
    return waitFor({ what, limitMs, everyMs: 20, explain }, () => holds() || undefined)
  }

  async close(): Promise<void> {
    this.#kubelets.end()
    for (const detacher of this.#detachers) detacher.end()
    await Promise.all(this.#controllers.map((controller) => controller.end('SIGKILL')))
    this.history.close()
    this.#parts.closeApi()
    await this.bed.close()
  }

  #read(): string {
    return readFileSync(this.kubeconfig, 'utf8')
  }
}

const lastWords = ({ said }: ControllerProcess): readonly string[] => said.slice(-5)
