import { Untrusted } from '../../../src/ground/model/untrusted.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { FollowEvent } from '../../../src/ground/ports/cluster.ts'
import type { Objects, Selection } from '../../../src/ground/ports/objects.ts'
import type { healthDeployment } from './health-deployment.ts'

type Told = ReturnType<typeof healthDeployment>
type Sink = (event: FollowEvent<Untrusted>) => void

/** Tells of Deployments what a test says. A new follower is told the last list. */
export class ToldDeployments implements Pick<Objects, 'follow'> {
  readonly selectors: string[] = []
  readonly #sinks = new Set<Sink>()
  #last: FollowEvent<Untrusted> | undefined

  listed(...objects: readonly Told[]): void {
    this.#last = { type: 'listed', objects: objects.map(untrusted) }
    this.#tell(this.#last)
  }

  applied(object: Told): void {
    this.#tell({ type: 'applied', object: untrusted(object) })
  }

  deleted(object: Told): void {
    this.#tell({ type: 'deleted', object: untrusted(object) })
  }

  /** From now on nothing is heard, by newcomers either. */
  away(code = 'KUBE_UNREACHABLE'): void {
    this.#last = undefined
    this.#tell({ type: 'broken', error: new WorldError(`${code}`, { code, retry: 'backoff' }), retryInMs: 1_000 })
  }

  follow<T>(selection: Selection<T>, sink: (event: FollowEvent<T>) => void, signal: AbortSignal): Promise<void> {
    this.selectors.push(selection.labelSelector ?? '')
    const { parse } = selection.kind
    const told: Sink = (event) => {
      if (event.type === 'listed') sink({ type: 'listed', objects: event.objects.map(parse) })
      else if (event.type === 'applied' || event.type === 'deleted') sink({ ...event, object: parse(event.object) })
      else sink(event)
    }
    this.#sinks.add(told)
    if (this.#last !== undefined) told(this.#last)
    return new Promise((_, reject) => {
      signal.addEventListener('abort', () => {
        this.#sinks.delete(told)
        reject(signal.reason)
      })
    })
  }

  #tell(event: FollowEvent<Untrusted>): void {
    for (const sink of this.#sinks) sink(event)
  }
}

const untrusted = (object: Told): Untrusted => new Untrusted(object, 'deployment')
