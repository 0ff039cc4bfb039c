import type { JsonPatch } from '../model/json-patch.ts'
import type { Lease } from '../model/lease.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import { present } from '../model/present.ts'
import { WorldError } from '../model/world-error.ts'
import { type ApiCall, segment } from './api-call.ts'
import type { ApiClient } from './api-client.ts'
import { askObject, findObject } from './api-object.ts'
import { parseLease } from './parse-lease.ts'

const RESOURCE = 'leases.coordination.k8s.io'

export function readLease(client: ApiClient, ref: ObjectRef, signal: AbortSignal): Promise<Lease | undefined> {
  return findObject(client, { call: { verb: 'get', resource: RESOURCE, path: pathOf(ref) }, parse: parseLease }, signal)
}

/**
 * WorldError KUBE_CONFLICT where another client wrote or created it since it was read; KUBE_NOT_FOUND where it was deleted. A
 * patch and no PUT, since a PUT with a resourceVersion would make a deleted Lease anew.
 */
export function writeLease(client: ApiClient, lease: Lease, signal: AbortSignal): Promise<Lease> {
  return askObject(client, { call: writeOf(lease), parse: parseLease }, signal)
}

/** A trial write of the Lease, or of a new one, with dryRun=All: it is authorised, admitted and validated, and not stored. */
export async function tryLease(client: ApiClient, ref: ObjectRef, signal: AbortSignal): Promise<void> {
  const found = await readLease(client, ref, signal)
  const call = writeOf(found ?? { ...ref, ...NOBODYS })
  try {
    await client.ask({ ...call, query: { dryRun: 'All' } }, signal)
  } catch (error) {
    // Another client wrote or removed it meanwhile: so it can be written. For a new Lease, "not found" is about its namespace.
    const passing = found === undefined ? ['KUBE_CONFLICT'] : ['KUBE_CONFLICT', 'KUBE_NOT_FOUND']
    if (!(error instanceof WorldError && passing.includes(error.code))) throw error
  }
}

/** Removes it; nothing where it is gone already. */
export async function removeLease(client: ApiClient, ref: ObjectRef, signal: AbortSignal): Promise<void> {
  try {
    await client.ask({ verb: 'delete', resource: RESOURCE, path: pathOf(ref) }, signal)
  } catch (error) {
    if (!(error instanceof WorldError && error.code === 'KUBE_NOT_FOUND')) throw error
  }
}

const NOBODYS = { resourceVersion: '', holder: '', durationSeconds: 0, renewTime: '', transitions: 0, annotations: {} }

const writeOf = (lease: Lease): ApiCall =>
  lease.resourceVersion === ''
    ? creationOf(lease)
    : { verb: 'patch', resource: RESOURCE, path: pathOf(lease), body: patchOf(lease) }

/** The body of a Lease that does not exist yet. */
export const creationOf = (lease: Lease): ApiCall => ({
  verb: 'create',
  resource: RESOURCE,
  path: collectionOf(lease),
  body: newLease(lease),
})

/** Replaces the Lease with the version that was read. */
export function replacementOf(lease: Lease): ApiCall {
  const { metadata, ...whole } = newLease(lease)
  const body = { ...whole, metadata: { ...metadata, resourceVersion: lease.resourceVersion } }
  return { verb: 'update', resource: RESOURCE, path: pathOf(lease), body }
}

const collectionOf = ({ namespace }: ObjectRef): string =>
  `/apis/coordination.k8s.io/v1/namespaces/${segment(namespace)}/leases`

const pathOf = (ref: ObjectRef): string => `${collectionOf(ref)}/${segment(ref.name)}`

function newLease(lease: Lease) {
  const { namespace, name, annotations } = lease
  const metadata = { namespace, name, annotations }
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: leaseSpec(lease) }
}

function patchOf(lease: Lease): JsonPatch {
  return [
    { op: 'test', path: '/metadata/resourceVersion', value: lease.resourceVersion },
    { op: 'add', path: '/metadata/annotations', value: lease.annotations },
    { op: 'add', path: '/spec', value: leaseSpec(lease) },
  ]
}

/** Empty fields are left out: the API accepts no lease of zero seconds and no empty time. */
function leaseSpec(lease: Lease) {
  return {
    leaseTransitions: lease.transitions,
    ...present({
      holderIdentity: lease.holder || undefined,
      leaseDurationSeconds: lease.durationSeconds || undefined,
      renewTime: lease.renewTime || undefined,
    }),
  }
}
