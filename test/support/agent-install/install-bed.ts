import { mkdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { CHART } from '../../../deploy/chart/plain-yaml.ts'
import { type Bed, openBed } from '../../../testbed/bed.ts'
import { buildFolder } from '../../../testbed/build/cache-root.ts'
import { type RunResult, runToEnd } from '../../../testbed/machine/run.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { imageOnBed } from '../image-on-bed.ts'
import { rawApi } from '../raw-api.ts'
import { Checks } from './checks.ts'

export const IMAGE = 'evenkeel.local/evenkeel:0.1.0'
export const NAMESPACE = 'evenkeel'
const RELEASE = 'evenkeel-agent'

export interface AgentPod {
  readonly metadata: { readonly uid: string; readonly name: string; readonly deletionTimestamp?: string }
  readonly spec: { readonly nodeName?: string; readonly containers: readonly { readonly image: string }[] }
  readonly status: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
    readonly containerStatuses?: readonly {
      readonly restartCount: number
      readonly state: { readonly waiting?: { readonly reason: string } }
      readonly lastState: { readonly terminated?: { readonly exitCode: number } }
    }[]
  }
}

export const isReady = ({ status }: AgentPod): boolean =>
  status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true

/** A real cluster whose nodes have the agent's image, and helm. */
export class InstallBed {
  readonly bed: Bed
  /** Without a process for each question: some are asked until the answer is another. */
  readonly #raw: ReturnType<typeof rawApi>
  readonly #checks: Checks[] = []
  readonly #relays = new Map<string, { readonly port: number }>()

  private constructor(bed: Bed) {
    this.bed = bed
    this.#raw = rawApi(bed.kubeconfig)
  }

  static async open(): Promise<InstallBed> {
    const bed = await openBed({ nodes: 3, addons: false })
    try {
      await imageOnBed(bed, IMAGE)
      await bed.kubectl(['create', 'namespace', NAMESPACE])
      return new InstallBed(bed)
    } catch (error) {
      await bed.close()
      throw error
    }
  }

  async close(): Promise<void> {
    for (const checks of this.#checks) await checks.end()
    this.#raw.close()
    await this.bed.close()
  }

  async helm(words: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.tryHelm(words)
    if (code !== 0) throw new Error(`helm ${words.join(' ')}: ${stderr}`)
    return stdout
  }

  tryHelm(words: readonly string[]): Promise<RunResult> {
    const home = join(this.bed.dir, 'helm')
    mkdirSync(home, { recursive: true })
    const env = { KUBECONFIG: this.bed.kubeconfig, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home }
    return runToEnd([join(buildFolder(), 'bin/helm'), '-n', NAMESPACE, ...words], { env, limitMs: 180_000 })
  }

  install(values: readonly string[], chart = CHART): Promise<string> {
    return this.helm(['install', RELEASE, chart, ...set(values)])
  }

  /** With the values of before, and these. */
  upgrade(values: readonly string[]): Promise<string> {
    return this.helm(['upgrade', RELEASE, CHART, '--reuse-values', ...set(values)])
  }

  rollback(): Promise<string> {
    return this.helm(['rollback', RELEASE])
  }

  async uninstall(): Promise<void> {
    await this.helm(['uninstall', RELEASE])
    const wait = { what: 'the agents to be gone', limitMs: 60_000 }
    await waitFor(wait, async () => ((await this.pods()).length === 0 ? true : undefined))
  }

  async pods(component: 'agent' | 'controller' = 'agent'): Promise<readonly AgentPod[]> {
    const which = encodeURIComponent(`app.kubernetes.io/component=${component}`)
    const { status, body } = await this.#raw.ask('GET', `/api/v1/namespaces/${NAMESPACE}/pods?labelSelector=${which}`)
    if (status !== 200) throw new Error(`the API server answered ${status}`)
    return (body as { readonly items: readonly AgentPod[] }).items
  }

  /** Every node has one agent and no other, of the present template, ready for long enough. */
  async rolledOut(): Promise<void> {
    const words = ['-n', NAMESPACE, 'rollout', 'status', `daemonset/${RELEASE}`, '--timeout=180s']
    await this.bed.kubectl(words, { limitMs: 190_000 }).catch(async (error) => {
      throw new Error(`${String(error)}\n${await this.#whatIs()}`)
    })
    // It is over for kubectl when the last new one is ready, and a moment before the last old one has gone.
    const wait = { what: 'agents that were replaced to be gone', limitMs: 60_000 }
    await waitFor(wait, async () => ((await this.pods()).length === this.bed.nodes.length ? true : undefined))
  }

  async #whatIs(): Promise<string> {
    const asked = [
      ['get', 'daemonset,pods', '-o', 'yaml'],
      ['get', 'events', '--sort-by=.lastTimestamp'],
    ].map((words) => this.bed.kubectl(['-n', NAMESPACE, ...words]))
    return (await Promise.all(asked)).join('\n')
  }

  check(port = 8080): Checks {
    const place = (node: string) => ({ address: this.bed.nodeAddress(node), port })
    const checks = new Checks(
      (argv) => this.bed.enter(argv),
      Object.fromEntries(this.bed.nodes.map((node) => [node, place(node)])),
    )
    this.#checks.push(checks)
    return checks
  }

  /** A page as a client outside of the nodes reads it, its path taken as it is: status and body. */
  async page(node: string, port: number, path: string): Promise<string> {
    const place = `${node}:${port}`
    const relay = this.#relays.get(place) ?? (await this.bed.relay(this.bed.nodeAddress(node), port))
    this.#relays.set(place, relay)
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: relay.port, path, agent: false, timeout: 5_000 })
      sent.on('timeout', () => sent.destroy(new Error(`no answer from ${place}`)))
      sent.on('error', reject)
      sent.on('response', (reply) => text(reply).then((body) => resolve(`${reply.statusCode} ${body}`), reject))
      sent.end()
    })
  }
}

const set = (values: readonly string[]): readonly string[] => values.flatMap((value) => ['--set', value])
