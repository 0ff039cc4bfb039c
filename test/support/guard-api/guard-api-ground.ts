import type { Bed } from '../../../testbed/bed.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { ControllerProcess } from '../controller/controller-process.ts'
import { type Kind, PATHS } from '../ingress-api/api-object.ts'
import { ApiView } from '../ingress-api/api-view.ts'
import { openGuardPlane } from '../ingress-api/ingress-plane.ts'
import { StandInKubelets } from '../ingress-api/stand-in-kubelets.ts'
import { makeStandInNode } from '../ingress-api/stand-in-node.ts'
import { type RawApi, rawApi } from '../raw-api.ts'
import { HoldTargets } from './hold-targets.ts'

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
