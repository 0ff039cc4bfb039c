import { DeadlineError } from '../../ground/loop/deadline.ts'
import { invariant } from '../../ground/model/invariant.ts'
import type { Node } from '../../ground/model/node.ts'
import type { MonoMs } from '../../ground/model/time.ts'
import type { VolumeAttachment } from '../../ground/model/volume.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Cluster } from '../../ground/ports/cluster.ts'
import { claimOn } from '../decide/pass.ts'
import type { HoldVerdict } from '../decide/snapshot.ts'
import type { Hold } from '../model/holds/hold-kinds.ts'
import type { NodeGuard } from '../model/node-guard.ts'
import { type Asked, isRemote, localVerdict, remoteVerdict } from './read-hold.ts'

interface ReaderParts extends Asked {
  readonly cluster: Pick<Cluster, 'list'>
  /** From the watch. */
  attachmentsOf(node: string): readonly VolumeAttachment[]
  /** A verdict has changed. */
  readonly onNews: (guard: NodeGuard) => void
}

interface Read {
  readonly at: MonoMs
  readonly verdict: HoldVerdict
}

/** While a node asks, its holds are read again after this time. */
const AGAIN_MS = 1_000
/** The verdicts of a node that does not ask any more are kept for so long. */
const KEPT_MS = 600_000
/** So many holds are read at a time. */
const AT_ONCE = 16
/** Targets of one namespace that hang leave room for the holds of others. */
const AT_ONCE_OF_A_NAMESPACE = 8

/**
 * Reads the holds of nodes. Holds that need a request are read beside the passes, so that a target that hangs holds its own node alone.
 * Right before a grant, all holds of the node are read once more.
 *
 * Law: what cannot be read of a hold is unknown, and never clear.
 */
export class HoldReader {
  readonly #parts: ReaderParts
  readonly #read = new Map<string, Read>()
  /** By key: the namespace of the guard. */
  readonly #reading = new Map<string, string>()

  constructor(parts: ReaderParts) {
    this.#parts = parts
  }

  /** The verdicts that are known. */
  verdicts(guard: NodeGuard, node: Node): readonly HoldVerdict[] {
    return guard.spec.holds.flatMap((hold) => {
      if (isRemote(hold)) return this.#read.get(keyOf(guard, node, hold))?.verdict ?? []
      return localVerdict(hold, { node, attachments: this.#parts.attachmentsOf(node.name) }) ?? []
    })
  }

  /** Begins to read holds: first those of the granted node, then those with the oldest verdicts. Returns before the answers come. */
  refresh(asking: readonly (readonly [NodeGuard, Node])[], signal: AbortSignal): void {
    const now = this.#parts.clock.monoMs()
    for (const [key, { at }] of this.#read) if (now - at > KEPT_MS) this.#read.delete(key)
    const due = asking.flatMap(([guard, node]) =>
      guard.spec.holds.filter(isRemote).flatMap((hold) => {
        const key = keyOf(guard, node, hold)
        const at = this.#read.get(key)?.at ?? Number.NEGATIVE_INFINITY
        const isGranted = claimOn(node, guard.spec.group) !== undefined
        return this.#reading.has(key) || now - at < AGAIN_MS ? [] : [{ guard, node, hold, key, at, isGranted }]
      }),
    )
    const inTurn = due.toSorted((one, other) => Number(other.isGranted) - Number(one.isGranted) || one.at - other.at)
    const reading = new Map<string, number>()
    for (const namespace of this.#reading.values()) reading.set(namespace, (reading.get(namespace) ?? 0) + 1)
    for (const { guard, node, hold, key } of inTurn) {
      const { namespace } = guard
      const count = reading.get(namespace) ?? 0
      if (this.#reading.size >= AT_ONCE) return
      if (count >= AT_ONCE_OF_A_NAMESPACE) continue
      reading.set(namespace, count + 1)
      this.#reading.set(key, namespace)
      this.#remember({ key, guard }, this.#remote(hold, { guard, node }, signal), signal)
    }
  }

  /** Reads all holds of a node, as of this call or later. */
  async fresh(guard: NodeGuard, node: Node, signal: AbortSignal): Promise<readonly HoldVerdict[]> {
    const { cluster, clock } = this.#parts
    const isOfVolumes = guard.spec.holds.some(({ kind }) => kind === 'volumes')
    const attachments = isOfVolumes ? await cluster.list('volumeattachments', signal) : []
    const here = attachments.filter(({ nodeName }) => nodeName === node.name)
    return Promise.all(
      guard.spec.holds.map(async (hold) => {
        const local = localVerdict(hold, { node, attachments: here })
        if (local !== undefined) return local
        const verdict = await this.#remote(hold, { guard, node }, signal)
        this.#read.set(keyOf(guard, node, hold), { at: clock.monoMs(), verdict })
        return verdict
      }),
    )
  }

  #remember(
    { key, guard }: { readonly key: string; readonly guard: NodeGuard },
    reading: Promise<HoldVerdict>,
    signal: AbortSignal,
  ): void {
    const { clock, onNews } = this.#parts
    reading
      .then((verdict) => {
        const before = this.#read.get(key)?.verdict
        this.#read.set(key, { at: clock.monoMs(), verdict })
        if (before?.kind !== verdict.kind || before.text !== verdict.text) onNews(guard)
      })
      .catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
      .finally(() => this.#reading.delete(key))
  }

  async #remote(
    hold: Hold,
    { guard: { namespace }, node }: { readonly guard: NodeGuard; readonly node: Node },
    signal: AbortSignal,
  ): Promise<HoldVerdict> {
    try {
      const verdict = await remoteVerdict(hold, { ...this.#parts, namespace, node, signal })
      invariant(verdict !== undefined, 'a hold that takes no request is not asked')
      return verdict
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof WorldError) && !(error instanceof DeadlineError)) throw error
      return { hold: hold.name, kind: 'unknown', text: error.message }
    }
  }
}

const keyOf = ({ uid, generation }: NodeGuard, node: Node, { name }: Hold): string =>
  `${uid}/${generation}/${node.uid}/${name}`
