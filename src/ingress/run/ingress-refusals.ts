import { type Refusal, RefusedWrites, type Subject } from '../../ground/loop/owned/refused-writes.ts'
import type { Refusals } from '../../ground/model/owned/refused-write.ts'
import { present } from '../../ground/model/present.ts'
import type { WallMs } from '../../ground/model/time.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { ObjectAction } from '../decide/housekeeping.ts'
import { actionKey, type Unbegun } from '../decide/refusals.ts'

/** After so long, a node whose operation was refused is tried first again. */
const UNBEGUN_MS = 3_600_000

/** Refused writes of IngressDaemonSets, and nodes whose operation was refused at its beginning. */
export class IngressRefusals extends RefusedWrites<ObjectAction> {
  /** By the UID of the object, then by node: when its operation was refused last. */
  readonly #unbegun = new Map<string, { readonly generation: number; readonly nodes: Map<string, WallMs> }>()

  constructor() {
    super(actionKey)
  }

  override refuse(object: Subject, action: ObjectAction, refusal: Refusal): boolean {
    const isLasting = super.refuse(object, action, refusal)
    // A write without an answer may have succeeded.
    if (isLasting && action.kind === 'writeOp' && refusal.error instanceof WorldError)
      this.#nodesOf(object, refusal.now).set(action.node, refusal.now)
    return isLasting
  }

  override done(uid: string, action: ObjectAction): void {
    super.done(uid, action)
    if (action.kind === 'writeOp') this.#unbegun.get(uid)?.nodes.delete(action.node)
  }

  override keepSubjects(uids: ReadonlySet<string>): void {
    super.keepSubjects(uids)
    for (const uid of this.#unbegun.keys()) if (!uids.has(uid)) this.#unbegun.delete(uid)
  }

  /** The refusals for a decision. A field is absent if it would be empty. */
  known(object: Subject, now: WallMs): { readonly refusals?: Refusals; readonly unbegun?: Unbegun } {
    const nodes = this.#unbegun.has(object.uid) ? this.#nodesOf(object, now) : undefined
    const unbegun = nodes === undefined || nodes.size === 0 ? undefined : new Map(nodes)
    return present({ refusals: this.of(object), unbegun })
  }

  /** The refused nodes of this generation, of the last hour. */
  #nodesOf({ uid, generation }: Subject, now: WallMs): Map<string, WallMs> {
    const known = this.#unbegun.get(uid)
    const nodes = known?.generation === generation ? known.nodes : new Map<string, WallMs>()
    for (const [node, at] of nodes) if (now - at >= UNBEGUN_MS) nodes.delete(node)
    this.#unbegun.set(uid, { generation, nodes })
    return nodes
  }
}
