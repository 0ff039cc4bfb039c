import { setTimeout as pause } from 'node:timers/promises'
import type { RawApi } from '../raw-api.ts'
import { type ApiObject, hostOf, isLeaving, isReady } from './api-object.ts'
import type { ApiView, Change } from './api-view.ts'

/** How long a pod takes to start, and to end. */
const START_MS = 150
const END_MS = 100

const CONDITIONS = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready']

/**
 * In the place of the kubelets of Nodes that no machine stands for: a pod that was placed becomes Ready, and one that is
 * deleted goes. Deployments, ReplicaSets and the scheduler are the real ones.
 */
export class StandInKubelets {
  readonly #api: RawApi
  readonly #begun = new Set<string>()
  readonly #failures: unknown[] = []
  #started = 0
  #ended = false

  constructor(view: ApiView, api: RawApi) {
    this.#api = api
    view.onChange((change) => this.#hear(change))
  }

  /** What went wrong; empty where all is well. */
  get failures(): readonly unknown[] {
    return this.#failures
  }

  end(): void {
    this.#ended = true
  }

  #hear({ kind, type, object }: Change): void {
    if (kind !== 'pods' || type === 'DELETED' || hostOf(object) === undefined) return
    if (isLeaving(object)) this.#once(`${object.metadata.uid} ends`, () => this.#remove(object))
    else if (!isReady(object)) this.#once(`${object.metadata.uid} starts`, () => this.#start(object))
  }

  #once(what: string, work: () => Promise<void>): void {
    if (this.#begun.has(what)) return
    this.#begun.add(what)
    work().catch((error: unknown) => {
      if (!this.#ended) this.#failures.push(error)
    })
  }

  async #start(pod: ApiObject): Promise<void> {
    await pause(START_MS)
    const lastTransitionTime = new Date().toISOString().replace(/\.\d+/, '')
    const conditions = CONDITIONS.map((type) => ({ type, status: 'True', lastTransitionTime }))
    this.#started += 1
    const ip = `10.244.${this.#started >> 8}.${this.#started & 255}`
    const status = { phase: 'Running', podIP: ip, podIPs: [{ ip }], conditions }
    await this.#send('PATCH', `${pathOf(pod)}/status`, { metadata: { uid: pod.metadata.uid }, status })
  }

  async #remove(pod: ApiObject): Promise<void> {
    await pause(END_MS)
    await this.#send('DELETE', `${pathOf(pod)}?gracePeriodSeconds=0`)
  }

  /** A pod may be gone already, or there may be another one of its name. */
  async #send(method: string, path: string, body?: object): Promise<void> {
    if (this.#ended) return
    const { status, body: said } = await this.#api(method, path, body)
    if (status >= 300 && status !== 404 && status !== 409) throw new Error(`${method} ${path}: ${JSON.stringify(said)}`)
  }
}

const pathOf = ({ metadata: { namespace, name } }: ApiObject): string => `/api/v1/namespaces/${namespace}/pods/${name}`
