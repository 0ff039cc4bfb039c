import assert from 'node:assert/strict'
import { field } from '../contract/api/field.ts'
import type { ControlPlane } from '../contract/control/control-plane.ts'
import { type NodeDraw, namespacesOf, type SchedulingCluster, type SchedulingStep } from './scheduling-cluster.ts'

/** What a step has come to, once nothing moves any more. */
export interface Settled {
  /** Since the first step began. */
  readonly atMs: number
  /** The status of the answer to what was done. */
  readonly answer: number
  /** By namespace and name. */
  readonly pods: ReadonlyMap<string, PodFact>
}

export interface PodFact {
  readonly node?: string
  /** Why it has no node. */
  readonly message?: string
  readonly nominated?: string
  /** It was driven out. */
  readonly disrupted?: string
}

const MERGE = 'application/merge-patch+json'
const NOT_READY = 'node.kubernetes.io/not-ready'
const LOOK_MS = 60
const SECOND_MS = 1_000
const LIMIT_MS = 30_000

/** Makes the cluster, does all steps and takes everything away again. Kubelets do at once what is theirs. */
export class SchedulingPlay {
  readonly #plane: ControlPlane
  readonly #cluster: SchedulingCluster
  #startedMs = 0
  #begun = 0

  constructor(plane: ControlPlane, cluster: SchedulingCluster) {
    this.#plane = plane
    this.#cluster = cluster
  }

  /** `until`: when each step was over elsewhere, so that what goes by time is alike. */
  async run(until: readonly Settled[] = []): Promise<readonly Settled[]> {
    await this.#open()
    // Back-offs that end within the same second of the clock end together, so that both begin with one.
    await this.#plane.pass(SECOND_MS - (this.#plane.nowMs() % SECOND_MS))
    this.#startedMs = this.#plane.nowMs()
    const seen: Settled[] = []
    for (const [at, step] of this.#cluster.steps.entries()) {
      const answer = await this.#do(step)
      const settled = { answer, ...(await this.#settle()) }
      seen.push(settled)
      const aheadMs = (until[at]?.atMs ?? 0) - settled.atMs
      if (aheadMs > 0) await this.#plane.pass(aheadMs)
    }
    return seen
  }

  async #open(): Promise<void> {
    const { name, nodes, objects } = this.#cluster
    for (const [namespace, labels] of namespacesOf(name)) {
      await this.#ask('POST', '/api/v1/namespaces', { metadata: { name: namespace, labels } })
    }
    for (const [path, body] of objects) assert.equal(await this.#ask('POST', path, body), 201, JSON.stringify(body))
    for (const node of nodes) await this.#join(node)
    const claims = `/api/v1/namespaces/${name}/persistentvolumeclaims`
    await this.#until('claims to be bound', async () => {
      const all = await this.#items(claims)
      return all.every((claim) => field(claim, 'status.phase') === 'Bound')
    })
    await this.#until('namespaces to take pods', async () => {
      const said = await Promise.all(
        namespacesOf(name).map(([namespace]) =>
          this.#ask('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, {
            metadata: { name: 'probe' },
            spec: { containers: [{ name: 'main', image: 'none' }] },
          }),
        ),
      )
      return said.every((status) => status === 201)
    })
  }

  async #do(step: SchedulingStep): Promise<number> {
    if (step.do === 'join') return await this.#join(step.node)
    if (step.do === 'pod') {
      const { namespace, name, labels, spec } = step.pod
      return await this.#ask('POST', `/api/v1/namespaces/${namespace}/pods`, { metadata: { name, labels }, spec })
    }
    if (step.do === 'node') {
      return await this.#ask('PATCH', `/api/v1/nodes/${step.node}${step.isStatus ? '/status' : ''}`, step.patch)
    }
    const [namespace, name] = step.pod.split('/')
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`
    return step.do === 'remove'
      ? await this.#ask('DELETE', `${path}?gracePeriodSeconds=0`)
      : await this.#ask('PATCH', path, { metadata: { labels: step.labels } })
  }

  async #join({ name, labels, room, spec }: NodeDraw): Promise<number> {
    const at = this.#plane.stamp()
    const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'x' }
    const status = {
      capacity: room,
      allocatable: room,
      conditions: [{ ...ready, lastHeartbeatTime: at, lastTransitionTime: at }],
    }
    // A new node bears this taint until its conditions are seen (plugin/pkg/admission/nodetaint).
    const taints = [...(spec.taints ?? []), { key: NOT_READY, effect: 'NoSchedule' }]
    const body = { metadata: { name, labels }, spec: { ...spec, taints }, status }
    const answer = await this.#ask('POST', '/api/v1/nodes', body)
    assert.equal(answer, 201)
    await this.#until('the first taint of a node to go', async () => {
      const { body } = await this.#plane.door.ask('GET', `/api/v1/nodes/${name}`)
      const taints = (field(body, 'spec.taints') ?? []) as readonly { readonly key: string }[]
      const isCordoned = field(body, 'spec.unschedulable') === true
      const isTainted = taints.some(({ key }) => key === 'node.kubernetes.io/unschedulable')
      return taints.every(({ key }) => key !== NOT_READY) && isCordoned === isTainted
    })
    return answer
  }

  /** Until two looks one after the other see the same, and no kubelet has anything to do. */
  async #settle(): Promise<Omit<Settled, 'answer'>> {
    let before = ''
    for (let looks = 0; looks < LIMIT_MS / LOOK_MS; looks += 1) {
      await this.#plane.pass(LOOK_MS)
      const pods = await this.#pods()
      const hasMoved = await this.#kubelets(pods)
      const now = JSON.stringify([pods.map(moving), await this.#standing()])
      if (!hasMoved && now === before && pods.every(isHeard)) {
        const facts = pods.map((pod) => [keyOf(pod), factOf(pod)] as const)
        return { atMs: this.#plane.nowMs() - this.#startedMs, pods: new Map(facts) }
      }
      before = now
    }
    throw new Error('the pods do not come to rest')
  }

  async #pods(): Promise<readonly unknown[]> {
    const lists = namespacesOf(this.#cluster.name).map(([namespace]) =>
      this.#items(`/api/v1/namespaces/${namespace}/pods`),
    )
    return (await Promise.all(lists)).flat()
  }

  /** What pods wait for beside pods: taints of nodes, and what budgets allow. */
  async #standing(): Promise<unknown> {
    const nodes = await this.#items('/api/v1/nodes')
    const budgets = await this.#items(`/apis/policy/v1/namespaces/${this.#cluster.name}/poddisruptionbudgets`)
    return [nodes.map((node) => field(node, 'spec')), budgets.map((budget) => field(budget, 'status'))]
  }

  async #kubelets(pods: readonly unknown[]): Promise<boolean> {
    let hasMoved = false
    for (const pod of pods) {
      const path = `/api/v1/namespaces/${keyOf(pod).replace('/', '/pods/')}`
      if (field(pod, 'metadata.deletionTimestamp') !== undefined) {
        await this.#ask('DELETE', `${path}?gracePeriodSeconds=0`)
        hasMoved = true
      } else if (field(pod, 'spec.nodeName') !== undefined && field(pod, 'status.startTime') === undefined) {
        await this.#ask('PATCH', `${path}/status`, { status: this.#beginning() })
        hasMoved = true
      }
    }
    return hasMoved
  }

  /** Each pod begins a second after the one before, by the same clock for both. */
  #beginning(): object {
    this.#begun += 1
    const startTime = new Date(Date.UTC(2026, 0, 1, 0, 0, this.#begun)).toISOString().replace('.000', '')
    const condition = { type: 'Ready', status: 'True', lastTransitionTime: startTime }
    const placed = { type: 'PodScheduled', status: 'True', lastTransitionTime: startTime }
    return { phase: 'Running', startTime, conditions: [placed, condition] }
  }

  async #items(path: string): Promise<readonly unknown[]> {
    const { body } = await this.#plane.door.ask('GET', path)
    return (field(body, 'items') ?? []) as readonly unknown[]
  }

  async #ask(method: string, path: string, body?: object): Promise<number> {
    const ask = body === undefined ? {} : { body, ...(method === 'PATCH' ? { contentType: MERGE } : {}) }
    return (await this.#plane.door.ask(method, path, ask)).status
  }

  async #until(what: string, holds: () => Promise<boolean>): Promise<void> {
    for (let looks = 0; looks < LIMIT_MS / LOOK_MS; looks += 1) {
      if (await holds()) return
      await this.#plane.pass(LOOK_MS)
    }
    throw new Error(`waited for ${what}`)
  }

  /** Only what has no namespace stands in the way of the next cluster; the rest goes with its namespace. */
  async cleanUp(): Promise<void> {
    for (const pod of await this.#pods()) {
      await this.#ask('DELETE', `/api/v1/namespaces/${keyOf(pod).replace('/', '/pods/')}?gracePeriodSeconds=0`)
    }
    for (const node of await this.#items('/api/v1/nodes')) {
      await this.#ask('DELETE', `/api/v1/nodes/${String(field(node, 'metadata.name'))}`)
    }
    for (const [namespace] of namespacesOf(this.#cluster.name))
      await this.#ask('DELETE', `/api/v1/namespaces/${namespace}`)
    for (const volume of await this.#items('/api/v1/persistentvolumes')) {
      await this.#ask('DELETE', `/api/v1/persistentvolumes/${String(field(volume, 'metadata.name'))}`)
    }
  }
}

const keyOf = (pod: unknown): string =>
  `${String(field(pod, 'metadata.namespace'))}/${String(field(pod, 'metadata.name'))}`

type Conditions = readonly { readonly type: string; readonly message?: string; readonly reason?: string }[]

const conditionOf = (pod: unknown, type: string) =>
  ((field(pod, 'status.conditions') ?? []) as Conditions).find((condition) => condition.type === type)

/** What moves while a pod has not come to rest. */
const moving = (pod: unknown): unknown => [keyOf(pod), factOf(pod), field(pod, 'metadata.deletionTimestamp')]

/** The scheduler has said something of it. */
const isHeard = (pod: unknown): boolean => conditionOf(pod, 'PodScheduled') !== undefined

function factOf(pod: unknown): PodFact {
  const node = field(pod, 'spec.nodeName')
  const nominated = field(pod, 'status.nominatedNodeName')
  const message = typeof node === 'string' ? undefined : conditionOf(pod, 'PodScheduled')?.message
  const disrupted = conditionOf(pod, 'DisruptionTarget')?.reason
  return {
    ...(typeof node === 'string' ? { node } : {}),
    ...(message === undefined ? {} : { message }),
    ...(typeof nominated === 'string' ? { nominated } : {}),
    ...(disrupted === undefined ? {} : { disrupted }),
  }
}
