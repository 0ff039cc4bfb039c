import type { JsonPatch } from '../model/json-patch.ts'
import type { ObjectKind } from '../model/object-kind.ts'
import type { FollowEvent } from './cluster.ts'

/** One object of a kind. */
export interface ObjectAddress<T> {
  readonly kind: ObjectKind<T>
  /** Present exactly for a kind with namespaces. */
  readonly namespace?: string
  readonly name: string
}

/** Objects of a kind: all of them, or those of a namespace and of selectors. */
export interface Selection<T> {
  readonly kind: ObjectKind<T>
  readonly namespace?: string
  /** In the form of `kubectl -l`. */
  readonly labelSelector?: string
  /** `metadata.name=n1`. */
  readonly fieldSelector?: string
  /** How many objects are read at once, and how large they may be together, for a process with little memory. */
  readonly page?: { readonly items: number; readonly bytes: number }
}

/** A read for somebody else. */
interface AsUser {
  /** The user by whose rights it is read, in place of ours. Needs the right to impersonate that user. */
  readonly as?: string
}

export interface NewObject<T> {
  readonly kind: ObjectKind<T>
  readonly namespace?: string
  /** Without apiVersion and kind, which follow from `kind`. */
  readonly object: Readonly<Record<string, unknown>> & {
    readonly metadata: { readonly name: string } & Readonly<Record<string, unknown>>
  }
}

/**
 * A list is a JSON patch (RFC 6902), an object a merge patch (RFC 7396), which may contain the resourceVersion that it is for.
 */
type ObjectPatch = JsonPatch | Readonly<Record<string, unknown>>

export interface Change<T> extends ObjectAddress<T> {
  readonly patch: ObjectPatch
}

export interface Deletion<T> extends ObjectAddress<T> {
  /** Only the object with this uid: not its successor of the same name. */
  readonly uid?: string
  /** Only if it has not changed since it was read. */
  readonly resourceVersion?: string
}

/**
 * Objects of any kind. Every call rejects with WorldError (code KUBE_*), or with the signal's reason; the API server's own
 * 404 on a read is absence: `undefined`. A write returns the object after it.
 */
export interface Objects {
  get<T>(at: ObjectAddress<T> & AsUser, signal: AbortSignal): Promise<T | undefined>
  /** The present list. Objects that make no sense are left out, with a warning. */
  list<T>(selection: Selection<T> & AsUser, signal: AbortSignal): Promise<readonly T[]>
  /** Lists, then watches, for ever; handles 410, resets, 429 and 5xx itself. Settles only when aborted. */
  follow<T>(selection: Selection<T>, sink: (event: FollowEvent<T>) => void, signal: AbortSignal): Promise<void>
  /** WorldError KUBE_CONFLICT where there is one of this name. */
  create<T>(object: NewObject<T>, signal: AbortSignal): Promise<T>
  /** WorldError KUBE_CONFLICT where a `test` failed or the version has changed, KUBE_NOT_FOUND where the object is gone. */
  patch<T>(change: Change<T>, signal: AbortSignal): Promise<T>
  /** Like `patch`, for the subresource `status`: other fields of the patch are ignored. */
  patchStatus<T>(change: Change<T>, signal: AbortSignal): Promise<T>
  /** False where there was none. WorldError KUBE_CONFLICT where uid or version differs. */
  delete<T>(deletion: Deletion<T>, signal: AbortSignal): Promise<boolean>
}
