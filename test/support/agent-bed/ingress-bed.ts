import { appContainer } from '../../../src/sim/cluster/article-workloads.ts'
import type { Bed } from '../../../testbed/bed.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import type { Judgement } from '../roll-bed/judge.ts'
import { webService } from '../virtual-ingress/ingress-manifests.ts'
import { AgentBed } from './agent-bed.ts'
import { AGENT_CHECK_PORT, type Fronts } from './check-backends.ts'
import { DATA_PORT } from './node-ingress.ts'

const RATE = 200
const NODES = ['n1', 'n2', 'n3']

interface PodTemplate {
  readonly version: string
  /** For how long a pod serves on after it was asked to stop, and ends its connections meanwhile. */
  readonly stopGrace?: string
}

const template = ({ version, stopGrace = '1s' }: PodTemplate): object => ({
  metadata: { labels: { app: 'web' } },
  spec: {
    terminationGracePeriodSeconds: 20,
    containers: [appContainer({ STOP: 'graceful', GRACE: stopGrace, VERSION: version })],
  },
})

export const anIngress = (pods: PodTemplate, rollingUpdate: object): object => ({
  apiVersion: 'evenkeel.dev/v1alpha1',
  kind: 'IngressDaemonSet',
  metadata: { name: 'web' },
  spec: {
    podsPerNode: 2,
    selector: { matchLabels: { app: 'web' } },
    updateStrategy: { type: 'RollingUpdate', rollingUpdate },
    template: template(pods),
  },
})

export const aDaemonSet = (version: string): object => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'web' },
  spec: { selector: { matchLabels: { app: 'web' } }, template: template({ version }) },
})

interface SeenPod {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string }
  readonly spec: {
    readonly nodeName?: string
    readonly containers: readonly [{ readonly env: readonly { readonly name: string; readonly value?: string }[] }]
  }
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] }
}

/** `n1 v1`, of the pods that are Ready, and of none that leaves. */
const lines = (all: readonly SeenPod[]): readonly string[] =>
  all
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .filter(
      ({ status }) => status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true,
    )
    .map(({ spec }) => `${spec.nodeName} ${spec.containers[0].env.find(({ name }) => name === 'VERSION')?.value}`)
    .toSorted()

const times = (count: number, version: string): readonly string[] =>
  NODES.flatMap((node) => Array.from({ length: count }, () => `${node} ${version}`))

/** A real cluster whose controller carries IngressDaemonSets, with the agent on each node. */
export class IngressBed {
  readonly place: AgentBed

  private constructor(place: AgentBed) {
    this.place = place
  }

  /** `values`: of the chart, beside those that it needs. */
  static async open(values: readonly string[] = []): Promise<IngressBed> {
    const place = await AgentBed.open()
    try {
      await place.bed.apply([webService(DATA_PORT)])
      await place.place.install([
        ...['minReadySeconds=6', 'agent.upDelay=1s', `agent.agentCheckPort=${AGENT_CHECK_PORT}`],
        ...['controller.enabled=true', 'ingress.enabled=true', ...values],
      ])
      await place.place.rolledOut()
      return new IngressBed(place)
    } catch (error) {
      await place.close()
      throw error
    }
  }

  get bed(): Bed {
    return this.place.bed
  }

  close(): Promise<void> {
    return this.place.close()
  }

  async untilServed(count: number, version: string, limitMs = 200_000): Promise<void> {
    const wanted = times(count, version).join()
    await waitFor({ what: `${count} pods of ${version} on each node`, limitMs, everyMs: 500 }, async () => {
      const { items } = JSON.parse(await this.bed.kubectl(['get', 'pods', '-l', 'app=web', '-o', 'json']))
      return lines(items).join() === wanted ? true : undefined
    })
  }

  async untilInService(): Promise<void> {
    const words = ['wait', 'ingressdaemonset/web', '--for=condition=Ready', '--timeout=200s']
    await this.bed.kubectl(words, { limitMs: 210_000 })
  }

  /** What a prober from outside saw while that was done, through one front of its own HAProxy. */
  async underTraffic(dialect: Fronts['dialects'][number], work: (socket: string) => Promise<void>): Promise<Judgement> {
    const lb = await this.place.haproxy({ dialects: [dialect] })
    const judge = this.place.judge(0, RATE)
    try {
      await work(lb.socket)
      return await judge.verdict()
    } finally {
      judge.kill('SIGKILL')
      await lb.kill()
    }
  }

  /** The claims on all Nodes. */
  claims(): Promise<string> {
    const path = 'jsonpath={.items[*].metadata.annotations.evenkeel\\.dev/maintenance}'
    return this.bed.kubectl(['get', 'nodes', '-o', path])
  }
}
