import type { MonoMs } from '../../../ground/model/time.ts'
import type { FleetNode } from '../../model/fleet-node.ts'
import { isOutByItself } from './out-by-itself.ts'
import type { BrakeMemory } from './snapshot.ts'

export const NOTHING_SEEN: BrakeMemory = { cordoned: new Map(), away: new Set(), returning: new Map() }

interface FleetReading {
  readonly nodes: readonly FleetNode[]
  /** The names in the published grants, if they are known. */
  readonly granted?: readonly string[]
  readonly now: MonoMs
  readonly returnMs: number
}

/** Folds what is read now into what was seen before. Nodes that are gone are forgotten. */
export function observe(memory: BrakeMemory, fleet: FleetReading): BrakeMemory {
  const granted = new Set(fleet.granted)
  const cordoned = new Map<string, Cordoned>()
  const away = new Set<string>()
  const returning = new Map<string, MonoMs>()
  for (const node of fleet.nodes) {
    const { name } = node
    const before = memory.cordoned.get(name)
    const now = cordonedNow(node, before, fleet.now)
    if (now !== undefined) cordoned.set(name, now)
    const [isAway, wasAway] = [isOutByItself(node), memory.away.has(name)]
    if (isAway) away.add(name)
    const known = memory.returning.get(name)
    const isUncordoned = now === undefined && (before !== undefined || (known === undefined && granted.has(name)))
    const isBack = isUncordoned || (wasAway && !isAway)
    const since = isBack ? fleet.now : known
    if (since !== undefined && fleet.now - since < fleet.returnMs) returning.set(name, since)
  }
  return { cordoned, away, returning, since: memory.since ?? fleet.now }
}

type Cordoned = BrakeMemory['cordoned'] extends ReadonlyMap<string, infer C> ? C : never

/** A Node that was registered again under its name counts as cordoned from now on. */
function cordonedNow(node: FleetNode, before: Cordoned | undefined, now: MonoMs): Cordoned | undefined {
  if (node.unreadable) return before
  if (!node.unschedulable) return undefined
  return before?.uid === node.uid ? before : { uid: node.uid, since: now }
}
