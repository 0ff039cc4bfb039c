import type { ApiDoor } from '../api/api-door.ts'
import { field } from '../api/field.ts'
import type { ClusterDoor } from './cluster-door.ts'
import { ClusterLog } from './cluster-log.ts'
import { isGoing, isReady } from './pod-facts.ts'
import type { SeenEndpoint, SeenPod } from './seen-objects.ts'

export interface Moment {
  readonly revision: number
  readonly atMs: number
}

const SETTLED_WITHIN_MS = 90_000

/** A cluster that is handled and watched. */
export class ClusterGround {
  readonly door: ClusterDoor
  readonly log: ClusterLog

  private constructor(door: ClusterDoor, log: ClusterLog) {
    this.door = door
    this.log = log
  }

  static async open(door: ClusterDoor): Promise<ClusterGround> {
    return new ClusterGround(door, await ClusterLog.open(door))
  }

  readonly ask: ApiDoor['ask'] = (...words) => this.door.api.ask(...words)

  /** Merges into an object; the answer has to be that it was done. */
  async patch(path: string, body: object): Promise<void> {
    const { status, body: answer } = await this.ask('PATCH', path, {
      contentType: 'application/merge-patch+json',
      body,
    })
    if (status !== 200) throw new Error(JSON.stringify(answer))
  }

  async create(path: string, body: object): Promise<void> {
    const { status, body: answer } = await this.ask('POST', path, { body })
    if (status !== 201) throw new Error(JSON.stringify(answer))
  }

  /** The cluster's latest commit, and the time. */
  async now(): Promise<Moment> {
    const { body } = await this.ask('GET', '/api/v1/namespaces?limit=1')
    return { revision: Number(field(body, 'metadata.resourceVersion')), atMs: this.door.nowMs() }
  }

  /** Until what is watched is so. */
  async until(what: string, holds: () => boolean): Promise<void> {
    await this.door.waitUntil({ what, limitMs: SETTLED_WITHIN_MS }, () => holds() || undefined)
  }

  pods(app: string): readonly SeenPod[] {
    return this.log.all('pod').filter(({ metadata }) => metadata.labels?.app === app)
  }

  podsOn(node: string): readonly SeenPod[] {
    return this.log.all('pod').filter(({ spec }) => spec.nodeName === node)
  }

  /** As the slices of all Services have it, by the uid of its pod. */
  endpoint(uid: string, upToRevision?: number): SeenEndpoint | undefined {
    return this.log
      .all('slice', upToRevision)
      .flatMap(({ endpoints }) => endpoints ?? [])
      .find(({ targetRef }) => targetRef?.uid === uid)
  }

  /** So many pods are there, all Ready and known to be by the slices and the budgets, and none is on its way out. */
  async settled(pods: number): Promise<void> {
    await this.until(`${pods} pods to be Ready, and none to go`, () => {
      const all = this.log.all('pod')
      const areReady = all.every((pod) => isReady(pod) && !isGoing(pod))
      const areKnown = all.every(({ metadata }) => this.endpoint(metadata.uid)?.conditions.ready === true)
      const budgets = this.log.all('budget').every(({ metadata, status: { disruptionsAllowed, expectedPods } }) => {
        return disruptionsAllowed === 1 && expectedPods === this.pods(metadata.name).length
      })
      return all.length === pods && areReady && areKnown && budgets
    })
  }

  close(): void {
    this.log.close()
  }
}
