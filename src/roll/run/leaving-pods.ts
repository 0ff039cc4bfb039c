import { isAway } from '../../ground/model/eviction.ts'
import { type Action, removesPod } from '../../service/model/action.ts'
import type { Outcome } from '../../service/model/outcome.ts'

interface LeavingPod {
  /** Whose lane evicts it. */
  readonly node: string
  /** The answer was lost: the lane asks again, and no other lane counts on the pod meanwhile. */
  readonly isLost: boolean
}

/** Pods that a lane of this process is evicting or has evicted. The watches show that late, and all lanes count by them. */
export class LeavingPods {
  #pods: ReadonlyMap<string, LeavingPod> = new Map()
  /** By node; the same set until something changes, since what is counted by it is kept by it. */
  readonly #known = new Map<string, ReadonlySet<string>>()

  /** Uids, as the lane of that node counts them. */
  of(node: string): ReadonlySet<string> {
    const known = this.#known.get(node)
    if (known !== undefined) return known
    const leaving = [...this.#pods].filter(([, pod]) => !pod.isLost || pod.node !== node)
    const uids = new Set(leaving.map(([uid]) => uid))
    this.#known.set(node, uids)
    return uids
  }

  /** From the moment at which it is decided: before the journal has it, another lane may decide too. */
  begin(actions: readonly Action[]): void {
    const begun = actions.filter(removesPod)
    if (begun.length > 0)
      this.#become([...this.#pods, ...begun.map(({ uid, node }) => [uid, { node, isLost: false }] as const)])
  }

  /** A pod that was refused serves on. */
  answered(action: Action, { eviction }: Outcome): void {
    if (!removesPod(action) || (eviction !== undefined && isAway(eviction))) return
    const { uid, node } = action
    const others = [...this.#pods].filter(([other]) => other !== uid)
    this.#become(eviction?.kind === 'passing' ? [...others, [uid, { node, isLost: true }]] : others)
  }

  /** Its lane asks no more: what was not answered is as the watches show it. */
  settled(node: string): void {
    this.#become([...this.#pods].filter(([, pod]) => !pod.isLost || pod.node !== node))
  }

  #become(pods: readonly (readonly [string, LeavingPod])[]): void {
    this.#pods = new Map(pods)
    this.#known.clear()
  }
}
