import type { Latest } from '../../ground/loop/owned/latest.ts'
import type { Node } from '../../ground/model/node.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { BudgetReading } from '../../service/decide/budget/budget-reading.ts'
import { followersAwaited } from '../../service/decide/followers-back.ts'
import { asksToDrain } from '../decide/asks.ts'
import { type FoundGuard, groupSnapshot } from '../decide/group-snapshot.ts'
import type { CheckedGuard } from '../decide/guard-kind.ts'
import type { GuardSnapshot, HoldVerdict } from '../decide/snapshot.ts'
import type { HoldSource } from '../holds/hold-source.ts'
import type { ObjectRules } from '../holds/object-rules.ts'
import type { NodeGuard } from '../model/node-guard.ts'
import type { GuardCaches } from './guard-caches.ts'
import { guardFindings, refusedReasons } from './guard-findings.ts'
import type { GuardMemory } from './guard-memory.ts'
import type { HoldReader } from './hold-reader.ts'

/** The key for what is left of deleted groups and guards. No group has this name. */
export const LEFT = ''

interface ReaderParts {
  readonly caches: GuardCaches
  readonly holds: HoldReader
  readonly latest: Latest
  readonly memory: GuardMemory
  readonly rules: ObjectRules
  readonly source: HoldSource
  readonly clock: Clock
  /** The last reading. */
  budget(): BudgetReading
  /** The holder of the slots of a group. */
  holderOf(group: string): string
  /** Ends the readings that run beside the passes. */
  life(): AbortSignal
}

/** The input of a pass. */
export interface GroupSeen {
  readonly snapshot: GuardSnapshot
  readonly guards: readonly CheckedGuard[]
  /** Guards with errors in their spec, and which errors. */
  readonly refused: readonly (readonly [CheckedGuard, readonly Reason[]])[]
}

/** What was read anew for a grant of one node. */
export interface Fresh {
  readonly node: string
  readonly guards: readonly CheckedGuard[]
  /** By the UID of the guard. */
  readonly verdicts: ReadonlyMap<string, readonly HoldVerdict[]>
}

/** Makes the snapshot of a group from the caches. */
export class GroupReader {
  readonly #parts: ReaderParts

  constructor(parts: ReaderParts) {
    this.#parts = parts
  }

  of(group: string, nodes: readonly Node[], fresh?: Fresh): GroupSeen {
    const { rules, source, caches } = this.#parts
    const all = fresh?.guards ?? caches.ofGroup(group)
    const refused = all.flatMap((guard) => {
      const reasons = refusedReasons(guard, guardFindings(guard, { rules, source }))
      return reasons.length === 0 ? [] : [[guard, reasons] as const]
    })
    const there = all.filter(({ deleting }) => !deleting)
    const isRefused = (guard: CheckedGuard): boolean => refused.some(([one]) => one === guard)
    const guards = there.filter((guard) => !isRefused(guard))
    const found = there.map((guard): FoundGuard => {
      const of = this.#found(guard, fresh)
      return isRefused(guard) ? { ...of, isRefused: true, verdictsOf: () => undefined } : of
    })
    const refusedGuards = refused.map(([{ name }]) => name)
    return { snapshot: this.#snapshotOf(group, { found, guards, nodes, refusedGuards }), guards, refused }
  }

  #snapshotOf(group: string, { found, guards, nodes, refusedGuards }: Group): GuardSnapshot {
    const { caches, holds, memory, clock } = this.#parts
    const now = clock.wallMs()
    const deleted = new Set(
      found.flatMap(({ pods }) => pods.flatMap(({ deleting, nodeName }) => (deleting ? (nodeName ?? []) : []))),
    )
    const asking = nodes.filter((node) => asksToDrain(node) !== undefined || deleted.has(node.name))
    const names = asking.map(({ name }) => name)
    const snapshot = groupSnapshot({
      strays: group === LEFT ? caches.strays() : [],
      ...{ group, now, nodes, refusedGuards, guards: found, asking: new Set(names) },
      isFresh: caches.isFresh(),
      unknownForMs: caches.brokenForMs(),
      outage: followersAwaited({ awayAt: caches.awayAt(), now: clock.monoMs() }),
      budget: this.#parts.budget(),
      holder: this.#parts.holderOf(group),
      ...memory.asking(group, { names, guards, now }),
      refusals: memory.refused.of({ uid: group, generation: 0 }) ?? new Map(),
    })
    holds.refresh(askedOf(snapshot, new Set(names)), this.#parts.life())
    return snapshot
  }

  #found(guard: CheckedGuard, fresh?: Fresh): FoundGuard {
    const { caches, holds, latest, memory } = this.#parts
    const { deployments, gates, pods, ...around } = caches.around(guard)
    const { uid } = guard
    const isOurs = ({ controller }: OwnedObject): boolean => controller?.uid === uid
    return {
      guard,
      ...around,
      pods: latest.all(pods),
      deployments: latest.all(memory.deployments.with(deployments, isOurs)),
      gates: latest.all(memory.gates.with(gates, isOurs)),
      verdictsOf: (name) => {
        const known = fresh?.node === name ? fresh.verdicts.get(uid) : undefined
        const node = caches.nodes.get(name)
        return known ?? (node === undefined ? undefined : holds.verdicts(guard, node))
      },
    }
  }
}

/** The guards whose holds count for nodes that ask: those that are to be on them. */
const askedOf = ({ guards }: GuardSnapshot, asking: ReadonlySet<string>): readonly (readonly [NodeGuard, Node])[] =>
  guards.flatMap(({ guard, isRefused, nodes }) =>
    isRefused === true
      ? []
      : nodes.flatMap(({ name, node, isWanted }) =>
          isWanted && node !== undefined && asking.has(name) ? [[guard, node] as const] : [],
        ),
  )

interface Group {
  readonly found: readonly FoundGuard[]
  readonly guards: readonly CheckedGuard[]
  readonly nodes: readonly Node[]
  readonly refusedGuards: readonly string[]
}
