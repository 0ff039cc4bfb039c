import type { JsonPatch } from '../model/json-patch.ts'
import type { ObjectKind } from '../model/object-kind.ts'
import type { FollowEvent } from './cluster.ts'

/** One object of a kind. */
export interface ObjectAddress<T> {
  readonly kind: ObjectKind<T>
  /** Present for a kind with namespaces, and only there. */
  readonly namespace?: string
  readonly name: string
}

/** Objects of a kind: all of them, or those of a namespace and of selectors. */
export interface Selection<T> {
  readonly kind: ObjectKind<T>
  readonly namespace?: string
  /** As `kubectl -l` takes it. */
  readonly labelSelector?: string
  /** `metadata.name=n1`. */
  readonly fieldSelector?: string
}

export interface NewObject<T> {
  readonly kind: ObjectKind<T>
  readonly namespace?: string
  /** Without apiVersion and kind, which follow from `kind`. */
  readonly object: Readonly<Record<string, unknown>> & {
    readonly metadata: { readonly name: string } & Readonly<Record<string, unknown>>
  }
}

/** A list is a JSON patch (RFC 6902), an object a merge patch (RFC 7396), which may name the resourceVersion it is meant for. */
type ObjectPatch = JsonPatch | Readonly<Record<string, unknown>>

export interface Change<T> extends ObjectAddress<T> {
  readonly patch: ObjectPatch
}

export interface Deletion<T> extends ObjectAddress<T> {
  /** Only the object of this uid: not its successor of the same name. */
  readonly uid?: string
  /** Only while it is as it was read. */
  readonly resourceVersion?: string
}

/**
 * Objects of whatever kind. Every call rejects with WorldError (code KUBE_*), or with the signal's reason; 404 on a read
 * is absence: `undefined`. What is written is answered with the object as it is then.
 */
export interface Objects {
  get<T>(at: ObjectAddress<T>, signal: AbortSignal): Promise<T | undefined>
  /** As of now. What makes no sense is left out, with a warning. */
  list<T>(selection: Selection<T>, signal: AbortSignal): Promise<readonly T[]>
  /** Lists, then watches, for ever: 410, resets, 429 and 5xx are its own business. Settles only when aborted. */
  follow<T>(selection: Selection<T>, sink: (event: FollowEvent<T>) => void, signal: AbortSignal): Promise<void>
  /** WorldError KUBE_CONFLICT where there is one of that name. */
  create<T>(object: NewObject<T>, signal: AbortSignal): Promise<T>
  /** WorldError KUBE_CONFLICT where a `test` failed or the version is another, KUBE_NOT_FOUND where it is gone. */
  patch<T>(change: Change<T>, signal: AbortSignal): Promise<T>
  /** As `patch`, of the subresource `status`: what the patch says of anything else is ignored. */
  patchStatus<T>(change: Change<T>, signal: AbortSignal): Promise<T>
  /** False where there was none. WorldError KUBE_CONFLICT where uid or version is another. */
  delete<T>(deletion: Deletion<T>, signal: AbortSignal): Promise<boolean>
}
