import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Bed } from '../../../testbed/bed.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { ControllerProcess } from '../controller/controller-process.ts'
import { type Kind, PATHS } from '../ingress-api/api-object.ts'
import { ApiView } from '../ingress-api/api-view.ts'
import { openGuardPlane } from '../ingress-api/ingress-plane.ts'
import { StandInKubelets } from '../ingress-api/stand-in-kubelets.ts'
import { makeStandInNode } from '../ingress-api/stand-in-node.ts'
import { type RawApi, rawApi } from '../raw-api.ts'

/** What a program answers: a JSON status, a failure, nothing at all, or far too much. */
type TargetAnswer = { readonly status: string } | 'fails' | 'hangs' | 'huge'

const HUGE_BYTES = 100 * 1024 * 1024
const PIECE = Buffer.alloc(64 * 1024, ' ')

/** Programs on loopback that a controller asks whether a node may go, each by the path of its URL. */
class HoldTargets {
  readonly #server: Server
  readonly #answers = new Map<string, TargetAnswer>()
  readonly #sent = new Map<string, number>()

  private constructor(server: Server) {
    this.#server = server
    server.on('request', ({ url = '' }, reply: ServerResponse) => this.#answer(url, reply))
  }

  static async open(): Promise<HoldTargets> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new HoldTargets(server)
  }

  url(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`
  }

  set(path: string, answer: TargetAnswer): void {
    this.#answers.set(path, answer)
  }

  /** The most bytes of one huge answer that were taken from us. */
  sentOf(path: string): number {
    return this.#sent.get(path) ?? 0
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #answer(path: string, reply: ServerResponse): void {
    const answer = this.#answers.get(path)
    if (answer === 'huge') this.#flood(path, reply)
    else if (answer === 'fails' || answer === undefined) reply.writeHead(500).end()
    else if (answer !== 'hangs')
      reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }

  #flood(path: string, reply: ServerResponse): void {
    let sent = 0
    const more = (): void => {
      while (!reply.destroyed && sent < HUGE_BYTES) {
        sent += PIECE.length
        this.#sent.set(path, Math.max(this.sentOf(path), sent))
        if (!reply.write(PIECE)) {
          reply.once('drain', more)
          return
        }
      }
      reply.end()
    }
    reply.writeHead(200, { 'content-length': HUGE_BYTES })
    more()
  }
}

const WATCHED: readonly Kind[] = ['nodes', 'pods', 'gates', 'guards']
/** On a machine that has other work. */
const WAIT_MS = 120_000

interface GroundParts {
  readonly bed: Bed
  readonly view: ApiView
  readonly api: RawApi
  readonly closeApi: () => void
  readonly targets: HoldTargets
}

/** A real control plane with Nodes that no machine stands for, a controller of NodeGuards of its own process, and programs that it asks. */
export class GuardApiGround {
  readonly bed: Bed
  readonly view: ApiView
  readonly api: RawApi
  readonly targets: HoldTargets
  readonly #parts: GroundParts
  readonly #kubelets: StandInKubelets
  #controller: ControllerProcess | undefined

  private constructor(parts: GroundParts) {
    this.#parts = parts
    this.bed = parts.bed
    this.view = parts.view
    this.api = parts.api
    this.targets = parts.targets
    this.#kubelets = new StandInKubelets(parts.view, parts.api)
  }

  /** `maxOut`: of the node budget. */
  static async open(maxOut: string): Promise<GuardApiGround> {
    const { bed, kubeconfigs } = await openGuardPlane(maxOut)
    const { ask, close } = rawApi(bed.kubeconfig)
    try {
      const [view, targets] = [new ApiView(bed.kubeconfig), await HoldTargets.open()]
      const ground = new GuardApiGround({ bed, view, api: ask, closeApi: close, targets })
      await view.follow(WATCHED)
      const words = ['--kubeconfig', kubeconfigs.outside, '--namespace', 'evenkeel', '--status-port', '0', '--guard']
      ground.#controller = await ControllerProcess.start(words)
      return ground
    } catch (error) {
      close()
      await bed.close()
      throw error
    }
  }

  /** What went wrong in what stands in for kubelets. */
  failures(): readonly unknown[] {
    return this.#kubelets.failures
  }

  /** Nodes that are Ready and untainted, with these labels. */
  async nodes(names: readonly string[], labels: Readonly<Record<string, string>>): Promise<void> {
    await Promise.all(names.map((name) => makeStandInNode(this.mustAsk.bind(this), name, labels)))
    await this.until(`${names.join()} to be untainted`, () => {
      const found = this.view.now('nodes').filter(({ metadata }) => names.includes(metadata.name))
      return found.length === names.length && found.every(({ spec = {} }) => spec.taints === undefined)
    })
  }

  async mustAsk(method: string, path: string, body?: object): Promise<unknown> {
    const reply = await this.api(method, path, body)
    if (reply.status >= 300) throw new Error(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body
  }

  async patchNode(name: string, patch: object): Promise<void> {
    await this.mustAsk('PATCH', `${PATHS.nodes}/${name}`, patch)
  }

  until(what: string, holds: () => boolean | Promise<boolean>, explain = (): string => ''): Promise<true> {
    const said = (): string =>
      [explain(), ...this.failures().map(String), ...(this.#controller?.said.slice(-5) ?? [])].join('\n')
    return waitFor({ what, limitMs: WAIT_MS, everyMs: 50, explain: said }, async () => (await holds()) || undefined)
  }

  async close(): Promise<void> {
    this.#kubelets.end()
    await this.#controller?.end('SIGKILL')
    this.targets.close()
    this.view.close()
    this.#parts.closeApi()
    await this.bed.close()
  }
}
