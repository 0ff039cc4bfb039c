import assert from 'node:assert/strict'
import type { ApiDoor } from '../api/api-door.ts'
import { field } from '../api/field.ts'

/** An API server with its controllers and its scheduler. Nodes are what a test says of them: no kubelet runs. */
export interface ControlPlane {
  readonly door: ApiDoor
  /** Lets time go by, of the plane's own clock. */
  pass(ms: number): Promise<void>
  /** Its whole seconds are those of its clock. */
  nowMs(): number
  /** RFC 3339, by its clock. */
  stamp(): string
  close(): Promise<void>
}

const MERGE = 'application/merge-patch+json'
const LOOK_MS = 100

/** What a test does on a plane, in a namespace of its own and with nodes of its own. */
export class ControlGround {
  readonly plane: ControlPlane
  readonly name: string

  constructor(plane: ControlPlane, name: string) {
    this.plane = plane
    this.name = name
  }

  path(plural: string, group = 'api/v1'): string {
    return `/${group}/namespaces/${this.name}/${plural}`
  }

  async open(): Promise<void> {
    await this.create('/api/v1/namespaces', { metadata: { name: this.name } })
    // A real server refuses pods until the namespace has its service account; the embedded one has none.
    await this.until('the namespace to take pods', 10_000, async () => {
      const probe = { metadata: { name: 'probe' }, spec: this.podSpec({ nodeSelector: { no: 'where' } }) }
      const { status } = await this.ask('POST', this.path('pods'), probe)
      if (status === 201) await this.ask('DELETE', `${this.path('pods')}/probe?gracePeriodSeconds=0`)
      return status === 201
    })
  }

  /** With one container, for the nodes of this ground. */
  podSpec({ container = {}, nodeSelector, ...more }: Record<string, unknown> = {}): object {
    return {
      nodeSelector: nodeSelector ?? { ground: this.name },
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'main', image: 'none', ...(container as object) }],
      ...more,
    }
  }

  async node(short: string, { labels = {}, ...room }: Record<string, unknown> = {}): Promise<string> {
    const name = `${this.name}-${short}`
    const own = { 'kubernetes.io/hostname': name, ground: this.name }
    await this.create('/api/v1/nodes', { metadata: { name, labels: { ...own, ...(labels as object) } } })
    const at = this.plane.stamp()
    const ready = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'x' }
    const capacity = { cpu: '4', memory: '8Gi', pods: '110', ...room }
    const conditions = [{ ...ready, lastHeartbeatTime: at, lastTransitionTime: at }]
    await this.patch(`/api/v1/nodes/${name}/status`, { status: { capacity, allocatable: capacity, conditions } })
    await this.until('its first taint to go', 10_000, async () => {
      const taints = (await this.get(`/api/v1/nodes/${name}`, 'spec.taints')) ?? []
      return (taints as readonly unknown[]).length === 0
    })
    return name
  }

  async pod(name: string, spec: Record<string, unknown> = {}, labels: object = {}): Promise<void> {
    await this.create(this.path('pods'), { metadata: { name, labels }, spec: this.podSpec(spec) })
  }

  /** The node of a pod, or why it has none. */
  async placeOf(name: string, limitMs = 10_000): Promise<string> {
    let said: string | undefined
    await this.until(`a word of the scheduler on ${name}`, limitMs, async () => {
      const { body } = await this.ask('GET', `${this.path('pods')}/${name}`)
      const node = field(body, 'spec.nodeName')
      const conditions = (field(body, 'status.conditions') ?? []) as readonly Record<string, string>[]
      const why = conditions.find(({ type }) => type === 'PodScheduled')
      said = typeof node === 'string' ? node.replace(`${this.name}-`, '') : why?.message
      return said !== undefined
    })
    return said ?? ''
  }

  async remove(name: string): Promise<void> {
    await this.ask('DELETE', `${this.path('pods')}/${name}?gracePeriodSeconds=0`)
  }

  /** What its kubelet would say. */
  async setReady(name: string): Promise<void> {
    const at = this.plane.stamp()
    const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: at,
    }))
    await this.patch(`${this.path('pods')}/${name}/status`, { status: { phase: 'Running', conditions } })
  }

  async pods(app: string): Promise<readonly Record<string, unknown>[]> {
    const { body } = await this.ask('GET', `${this.path('pods')}?labelSelector=app%3D${app}`)
    return field(body, 'items') as readonly Record<string, unknown>[]
  }

  async get(path: string, name: string): Promise<unknown> {
    return field((await this.ask('GET', path)).body, name)
  }

  async create(path: string, body: object): Promise<void> {
    const reply = await this.ask('POST', path, body)
    assert.equal(reply.status, 201, JSON.stringify(reply.body))
  }

  async patch(path: string, body: object): Promise<void> {
    const reply = await this.plane.door.ask('PATCH', path, { body, contentType: MERGE })
    assert.equal(reply.status, 200, JSON.stringify(reply.body))
  }

  ask(method: string, path: string, body?: object): ReturnType<ApiDoor['ask']> {
    return this.plane.door.ask(method, path, body === undefined ? {} : { body })
  }

  /** How long it took. */
  async until(what: string, limitMs: number, holds: () => Promise<boolean>): Promise<number> {
    const from = this.plane.nowMs()
    while (!(await holds())) {
      assert.ok(this.plane.nowMs() - from < limitMs, `waited ${limitMs} ms for ${what}`)
      await this.plane.pass(LOOK_MS)
    }
    return this.plane.nowMs() - from
  }
}

export interface ControlRow {
  readonly title: string
  /** Nodes of other rows that change would change it. */
  readonly isAlone?: boolean
  readonly run: (ground: ControlGround) => Promise<void>
}
