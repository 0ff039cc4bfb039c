import { HOLDS_ANNOTATION, RELEASES_ANNOTATION } from '../../../ground/model/guard-keys.ts'
import type { ObjectRef } from '../../../ground/model/object-ref.ts'
import type { WallMs } from '../../../ground/model/time.ts'
import { WorldError } from '../../../ground/model/world-error.ts'
import type { Objects } from '../../../ground/ports/objects.ts'
import { type ByHandChange, type ByHandRequest, changeByHand, formatByHand } from '../../decide/by-hand.ts'
import { type CheckedGuard, NODE_GUARDS } from '../../decide/guard-kind.ts'

/** Which of the two lists of persons. */
export type ByHandKind = 'releases' | 'holds'

interface Changing {
  readonly objects: Pick<Objects, 'patch'>
  /** As it is now. Rejects where it is not there. */
  readonly read: (at: ObjectRef, signal: AbortSignal) => Promise<CheckedGuard>
  readonly at: ObjectRef
  readonly kind: ByHandKind
  readonly request: ByHandRequest
  readonly now: WallMs
  readonly replaces: boolean
}

interface Changed {
  /** As it was read. */
  readonly guard: CheckedGuard
  readonly change: ByHandChange
}

export const ANNOTATIONS: Readonly<Record<ByHandKind, string>> = {
  releases: RELEASES_ANNOTATION,
  holds: HOLDS_ANNOTATION,
}

/** The controller writes the status often, and each write makes another version. */
const TRIES = 10

/**
 * Reads, decides, and writes only over what was read: an entry that another person wrote in between is not lost. Rejects with WorldError.
 */
export async function changeGuard(changing: Changing, signal: AbortSignal): Promise<Changed> {
  const { objects, read, at, kind, request, now, replaces } = changing
  for (let tries = 1; ; tries += 1) {
    const guard = await read(at, signal)
    const found = kind === 'releases' ? guard.releases : guard.heldByHand
    const change = changeByHand(found, request, { now, replaces })
    if (change.kind !== 'write') return { guard, change }
    const { namespace, name, resourceVersion } = guard
    const text = formatByHand(change.entries) ?? null
    const patch = { metadata: { resourceVersion, annotations: { [ANNOTATIONS[kind]]: text } } }
    try {
      await objects.patch({ kind: NODE_GUARDS, namespace, name, patch }, signal)
      return { guard, change }
    } catch (error) {
      if (!(error instanceof WorldError) || error.code !== 'KUBE_CONFLICT' || tries === TRIES) throw error
    }
  }
}
