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
 * WorldError KUBE_CONFLICT where another client wrote or created it since it was read; KUBE_NOT_FOUND where it was
 * deleted. It is patched and not put, since a PUT under a resourceVersion makes a deleted Lease anew.
 */
export function writeLease(client: ApiClient, lease: Lease, signal: AbortSignal): Promise<Lease> {
  return askObject(client, { call: writeOf(lease), parse: parseLease }, signal)
}

/** A write of it as it stands, or of a new one, under dryRun=All: authorised, admitted and validated, and not stored. */
export async function tryLease(client: ApiClient, ref: ObjectRef, signal: AbortSignal): Promise<void> {
  const found = await readLease(client, ref, signal)
  const call = writeOf(found ?? { ...ref, ...NOBODYS })
  try {
    await client.ask({ ...call, query: { dryRun: 'All' } }, signal)
  } catch (error) {
    // Another client wrote or removed it meanwhile: it can be written. For a new Lease, what is not found is its namespace.
    const passing = found === undefined ? ['KUBE_CONFLICT'] : ['KUBE_CONFLICT', 'KUBE_NOT_FOUND']
    if (!(error instanceof WorldError && passing.includes(error.code))) throw error
  }
}

const NOBODYS = { resourceVersion: '', holder: '', durationSeconds: 0, renewTime: '', transitions: 0, annotations: {} }

const writeOf = (lease: Lease): ApiCall =>
  lease.resourceVersion === ''
    ? creationOf(lease)
    : { verb: 'patch', resource: RESOURCE, path: pathOf(lease), body: patchOf(lease) }

/** Of a Lease that is not there yet. */
export const creationOf = (lease: Lease): ApiCall => ({
  verb: 'create',
  resource: RESOURCE,
  path: collectionOf(lease),
  body: newLease(lease),
})

/** In the place of what is there under its version. */
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

/** What is empty is left out: the API takes no lease of zero seconds and no time that is none. */
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
