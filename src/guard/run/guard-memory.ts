import { RefusedWrites } from '../../ground/loop/owned/refused-writes.ts'
import { isJsonObject } from '../../ground/model/json-object.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { type MonoMs, type WallMs, wallMs } from '../../ground/model/time.ts'
import { type GuardAction, guardActionKey } from '../decide/action.ts'
import type { CheckedGuard } from '../decide/guard-kind.ts'

/** Then the cache shows what was made. */
const MADE_MS = 30_000

/** What a process has seen and no object bears yet. The next process begins without it. */
export class GuardMemory {
  /** By group. */
  readonly refused = new RefusedWrites<GuardAction>(guardActionKey)
  /** By group, then by node. */
  readonly #asking = new Map<string, Map<string, WallMs>>()
  readonly #made = new Map<string, { readonly object: OwnedObject; readonly at: MonoMs }>()

  /**
   * When each of these nodes began to ask. The status of the guards tells it where this process has not seen it, and only there: a node
   * whose grant ended asks anew.
   */
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
      const told = toldTimes(guards)
      for (const name of unknown) known.set(name, wallMs(Math.min(told.get(name) ?? now, now)))
    }
    return new Map(known)
  }

  askAgain(group: string, node: string, now: WallMs): void {
    this.#asking.get(group)?.set(node, now)
  }

  made(kind: string, object: OwnedObject, at: MonoMs): void {
    this.#made.set(`${kind}/${object.uid}`, { object, at })
  }

  /** With what was made and the cache does not show yet. */
  withMade<T extends OwnedObject>(
    kind: string,
    of: string,
    { shown, now }: { readonly shown: readonly T[]; readonly now: MonoMs },
  ): readonly T[] {
    if (this.#made.size === 0) return shown
    const uids = new Set(shown.map(({ uid }) => uid))
    const more: T[] = []
    for (const [key, { object, at }] of this.#made) {
      if (now - at > MADE_MS) this.#made.delete(key)
      else if (key === `${kind}/${object.uid}` && object.controller?.uid === of) {
        if (uids.has(object.uid)) this.#made.delete(key)
        else more.push(object as T)
      }
    }
    return more.length === 0 ? shown : [...shown, ...more]
  }
}

function toldTimes(guards: readonly CheckedGuard[]): ReadonlyMap<string, number> {
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
