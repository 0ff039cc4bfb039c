import { isAway } from '../../ground/model/eviction.ts'
import { type Action, removesPod } from '../../service/model/action.ts'
import type { Outcome } from '../../service/model/outcome.ts'

/** Pods that a lane of this process is evicting or has evicted. The watches show that late, and all lanes count by them. */
export class LeavingPods {
  #uids: ReadonlySet<string> = new Set()

  get uids(): ReadonlySet<string> {
    return this.#uids
  }

  /** From the moment at which it is decided: before the journal has it, another lane may decide too. */
  begin(actions: readonly Action[]): void {
    const uids = actions.filter(removesPod).map(({ uid }) => uid)
    if (uids.length > 0) this.#uids = this.#uids.union(new Set(uids))
  }

  /** A pod that was not evicted, or not as far as is known, serves on and is asked again. */
  answered(action: Action, { eviction }: Outcome): void {
    if (!removesPod(action) || (eviction !== undefined && isAway(eviction))) return
    this.#uids = this.#uids.difference(new Set([action.uid]))
  }
}
