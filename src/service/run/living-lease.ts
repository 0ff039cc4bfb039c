import type { Lease } from '../../ground/model/lease.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'
import { LIVES_BY_ANNOTATION } from '../../ground/model/slot.ts'
import { WorldError } from '../../ground/model/world-error.ts'

const REF = /^([a-z0-9][a-z0-9-]{0,62})\/([a-z0-9][a-z0-9.-]{0,252})$/

/** The Lease that is renewed in the place of a slot; undefined where the slot is renewed itself. */
export function livesBy({ annotations }: Lease): ObjectRef | undefined {
  const [, namespace, name] = REF.exec(annotations[LIVES_BY_ANNOTATION] ?? '') ?? []
  return namespace === undefined || name === undefined ? undefined : { namespace, name }
}

/**
 * That Lease as it is now. A deleted Lease may be made anew: it counts as a Lease without a holder, and is stale once it was so
 * for the duration. A Lease that may not be read tells nothing: what lives by it is taken for alive.
 */
export async function leadingLease(
  read: (ref: ObjectRef) => Promise<Lease | undefined>,
  ref: ObjectRef,
): Promise<Lease | 'forbidden'> {
  try {
    return (await read(ref)) ?? absent(ref)
  } catch (error) {
    if (error instanceof WorldError && error.code === 'KUBE_FORBIDDEN') return 'forbidden'
    throw error
  }
}

const absent = (ref: ObjectRef): Lease => ({
  ...ref,
  resourceVersion: '',
  holder: '',
  durationSeconds: 0,
  renewTime: '',
  transitions: 0,
  annotations: {},
})
