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

/** What this process has seen and no object stores. The next process begins without it. */
export class GuardMemory {
  /** By group. */
  readonly refused = new RefusedWrites<GuardAction>(guardActionKey)
  /** By group, then by node. */
  readonly #asking = new Map<string, Map<string, WallMs>>()
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

  /** When each node began to ask for a drain: as this process saw it, else by the status. After the end of its grant a node asks anew. */
  requestedAt(
    group: string,
    {
      names,
      guards,
      now,
    }: { readonly names: readonly string[]; readonly guards: readonly CheckedGuard[]; readonly now: WallMs },
  ): ReadonlyMap<string, WallMs> {
    const known = this.#asking.get(group) ?? new Map<string, WallMs>()
    this.#asking.set(group, known)
    const asking = new Set(names)
    for (const name of known.keys()) if (!asking.has(name)) known.delete(name)
    const unknown = names.filter((name) => !known.has(name))
    if (unknown.length > 0) {
      const times = listedTimes(guards)
      for (const name of unknown) known.set(name, wallMs(Math.min(times.get(name) ?? now, now)))
    }
    return new Map(known)
  }

  askAgain(group: string, node: string, now: WallMs): void {
    this.#asking.get(group)?.set(node, now)
  }
}

function listedTimes(guards: readonly CheckedGuard[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  for (const { status } of guards) {
    const { nodes } = status.fields
    for (const row of Array.isArray(nodes) ? nodes : []) {
      const { name, requestedAt } = isJsonObject(row) ? row : {}
      const at = typeof requestedAt === 'string' ? Date.parse(requestedAt) : Number.NaN
      if (typeof name === 'string' && !Number.isNaN(at)) times.set(name, Math.min(times.get(name) ?? at, at))
    }
  }
  return times
}
