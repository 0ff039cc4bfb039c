import { EventRecorder } from '../../../src/ground/loop/event-recorder.ts'
import { FollowCache } from '../../../src/ground/loop/follow-cache.ts'
import { type LoopStatus, Reconciler } from '../../../src/ground/loop/reconciler.ts'
import { StatusWriter } from '../../../src/ground/loop/status-writer.ts'
import type { LoopDecision } from '../../../src/ground/model/loop-decision.ts'
import { apiVersionOf } from '../../../src/ground/model/object-kind.ts'
import type { Reason } from '../../../src/ground/model/reason.ts'
import type { Clock } from '../../../src/ground/ports/clock.ts'
import type { Objects } from '../../../src/ground/ports/objects.ts'
import type { Random } from '../../../src/ground/ports/random.ts'
import { GUARDS, type Guard, type Held, MAPS } from '../../contract/frame/frame-ground.ts'

interface Parts {
  readonly objects: Objects
  readonly clock: Clock
  readonly random: Random
}

interface Snapshot {
  readonly guard: Guard
  readonly maps: readonly Held[]
}

type Action =
  | { readonly kind: 'make'; readonly of: string; readonly name: string }
  | { readonly kind: 'drop'; readonly map: Held }

/** Pure. A map has a name that follows from its guard, so that a cache which is behind has none made twice. */
function decide({ guard, maps }: Snapshot): LoopDecision<Action> {
  const wanted = Array.from({ length: guard.size }, (_, at) => `${guard.name}-${at}`)
  const missing = wanted.filter((name) => !maps.some((map) => map.name === name))
  const extra = maps.filter(({ name }) => !wanted.includes(name))
  const text = `${guard.size - missing.length} of ${guard.size} maps are there`
  if (missing.length + extra.length === 0) return { kind: 'settled', reasons: [{ code: 'NothingToDo', text }] }
  const reasons: readonly Reason[] = [{ code: 'GrantsAbsent', text }]
  const make = missing.map((name) => ({ kind: 'make', of: guard.name, name }) as const)
  const drop = extra.map((map) => ({ kind: 'drop', map }) as const)
  return { kind: 'act', actions: [...make, ...drop], reasons }
}

const NAMESPACE = 'default'

/** A whole controller, as small as one can be: so many ConfigMaps as the guard that they are of says. */
export class SmallController {
  readonly #parts: Parts
  readonly #guards: FollowCache<Guard>
  readonly #maps: FollowCache<Held>
  readonly #mapsOf: { get(guard: string): readonly Held[] }
  readonly #status: StatusWriter<Guard>
  readonly #events: EventRecorder
  readonly #reconciler: Reconciler<Snapshot, Action>

  constructor(parts: Parts) {
    const { objects, clock, random } = parts
    this.#parts = parts
    this.#guards = new FollowCache({
      follow: (sink, signal) => objects.follow({ kind: GUARDS }, sink, signal),
      clock,
      onKey: (key) => this.#reconciler.add(key),
    })
    this.#maps = new FollowCache({
      follow: (sink, signal) => objects.follow({ kind: MAPS }, sink, signal),
      clock,
      onKey: (_key, { before, now }) => {
        for (const guard of [before?.data.guard, now?.data.guard])
          if (guard !== undefined) this.#reconciler.add(`${NAMESPACE}/${guard}`)
      },
    })
    this.#mapsOf = this.#maps.index(({ data }) => (data.guard === undefined ? [] : [data.guard]))
    this.#status = new StatusWriter({ objects, kind: GUARDS, clock })
    this.#events = new EventRecorder({ objects, clock, random, identity: 'small' })
    this.#reconciler = new Reconciler({
      loop: {
        name: 'small',
        gather: (key, signal) => this.#gather(key, signal),
        decide,
        tell: ({ snapshot, decision }, signal) => this.#tell(snapshot.guard, decision, signal),
        perform: (action, signal) => this.#perform(action, signal),
      },
      leader: { mayActForMs: () => 60_000 },
      clock,
      random,
      log: { debug: () => undefined, warn: () => undefined },
      sweepMs: 60_000,
      workers: 4,
    })
  }

  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#guards.run(signal), this.#maps.run(signal), this.#reconciler.run(signal)])
  }

  status(): LoopStatus {
    return this.#reconciler.status()
  }

  async #gather(key: string, signal: AbortSignal): Promise<Snapshot | undefined> {
    await Promise.all([this.#guards.synced(signal), this.#maps.synced(signal)])
    const guard = this.#guards.get(key)
    return guard === undefined ? undefined : { guard, maps: this.#mapsOf.get(guard.name) }
  }

  async #tell(guard: Guard, { kind, reasons }: LoopDecision<Action>, signal: AbortSignal): Promise<void> {
    const [reason] = reasons
    if (reason === undefined) return
    const words = { reason: reason.code, message: `${reason.text}.` }
    const ready = { type: 'Ready', status: kind === 'settled' ? 'True' : 'False', ...words }
    if (!(await this.#status.write(guard, { conditions: [ready], fields: {} }, signal))) return
    const { namespace, name, uid } = guard
    const about = { apiVersion: apiVersionOf(GUARDS), kind: GUARDS.kind, namespace, name, uid }
    await this.#events.tell({ ...about, type: 'Normal', reason }, signal)
  }

  async #perform(action: Action, signal: AbortSignal): Promise<void> {
    const { objects } = this.#parts
    const namespace = NAMESPACE
    if (action.kind === 'drop') {
      const { name, uid, resourceVersion } = action.map
      await objects.delete({ kind: MAPS, namespace, name, uid, resourceVersion }, signal)
      return
    }
    const { of, name } = action
    await objects.create({ kind: MAPS, namespace, object: { metadata: { name }, data: { guard: of } } }, signal)
  }
}
