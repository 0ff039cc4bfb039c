import { DEPLOYMENTS, GATES } from '../../ground/loop/owned/owned-kinds.ts'
import { RefusedWrites } from '../../ground/loop/owned/refused-writes.ts'
import { Unshown } from '../../ground/loop/owned/unshown.ts'
import { isJsonObject } from '../../ground/model/json-object.ts'
import type { FoundDeployment } from '../../ground/model/owned/found-workload.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { type WallMs, wallMs } from '../../ground/model/time.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import { type GuardAction, guardActionKey } from '../decide/action.ts'
import type { CheckedGuard } from '../decide/guard-kind.ts'
import type { GuardSnapshot } from '../decide/snapshot.ts'

/** What this process has seen and no object stores. The next process begins without it. */
export class GuardMemory {
  /** By group. */
  readonly refused = new RefusedWrites<GuardAction>(guardActionKey)
  /** By group. */
  readonly #asking = new Map<string, Asking>()
  readonly deployments: Unshown<FoundDeployment>
  readonly gates: Unshown<OwnedObject>

  constructor(clock: Pick<Clock, 'monoMs'>) {
    this.deployments = new Unshown({ kind: DEPLOYMENTS, clock })
    this.gates = new Unshown({ kind: GATES, clock })
  }

  /** Reads objects that the caches have not shown for long. Rejects with the signal's reason. */
  async findUnshown(objects: Pick<Objects, 'get'>, signal: AbortSignal): Promise<void> {
    for (const unshown of [this.deployments, this.gates]) await unshown.findAgain(objects, signal)
  }

  /** When each node began to ask for a drain: as this process saw it, else by the status. */
  asking(
    group: string,
    {
      names,
      guards,
      now,
    }: { readonly names: readonly string[]; readonly guards: readonly CheckedGuard[]; readonly now: WallMs },
  ): Pick<GuardSnapshot, 'requestedAt' | 'waitedFrom'> {
    const known = this.#asking.get(group) ?? { requestedAt: new Map(), waitedFrom: new Map() }
    this.#asking.set(group, known)
    const asking = new Set(names)
    for (const times of [known.requestedAt, known.waitedFrom])
      for (const name of times.keys()) if (!asking.has(name)) times.delete(name)
    const unknown = names.filter((name) => !known.requestedAt.has(name))
    if (unknown.length > 0) {
      const [asked, waited] = [listedTimes(guards, 'requestedAt'), listedTimes(guards, 'waitedFrom')]
      for (const name of unknown) {
        known.requestedAt.set(name, wallMs(Math.min(asked.get(name) ?? now, now)))
        const from = waited.get(name)
        if (from !== undefined) known.waitedFrom.set(name, wallMs(Math.min(from, now)))
      }
    }
    return { requestedAt: new Map(known.requestedAt), waitedFrom: new Map(known.waitedFrom) }
  }

  /** The grant of the node has ended unused: it waits behind the nodes that ask by then. */
  waitAgain(group: string, node: string, now: WallMs): void {
    this.#asking.get(group)?.waitedFrom.set(node, now)
  }
}

/** By node. */
interface Asking {
  readonly requestedAt: Map<string, WallMs>
  readonly waitedFrom: Map<string, WallMs>
}

/** The earliest time of each node in that field of the status. */
function listedTimes(
  guards: readonly CheckedGuard[],
  field: 'requestedAt' | 'waitedFrom',
): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const { status } of guards) {
    const { nodes } = status.fields
    for (const row of Array.isArray(nodes) ? nodes : []) {
      const { name, [field]: text } = isJsonObject(row) ? row : {}
      const at = typeof text === 'string' ? Date.parse(text) : Number.NaN
      if (typeof name === 'string' && !Number.isNaN(at)) times.set(name, Math.min(times.get(name) ?? at, at))
    }
  }
  return times
}
