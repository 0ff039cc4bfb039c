import { segment } from '../../ground/kube/api-call.ts'
import type { ApiClient } from '../../ground/kube/api-client.ts'
import { findObject } from '../../ground/kube/api-object.ts'
import { kuredFlag, lockKeyOf } from '../../ground/model/kured-flags.ts'
import type { KuredDaemonSet } from '../../ground/model/kured-lock.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'
import { parseMetadata } from '../../ground/model/parse-metadata.ts'
import { present } from '../../ground/model/present.ts'
import type { Untrusted } from '../../ground/model/untrusted.ts'
import type { KuredLocks } from '../ports/kured-locks.ts'

const RESOURCE = 'daemonsets.apps'

/** A merge patch with the version that it was made for: the API server refuses it with 409 where there is a newer version. */
export const kubeKuredLocks = (client: ApiClient): KuredLocks => ({
  read: (ref, signal) =>
    findObject(client, { call: { verb: 'get', resource: RESOURCE, path: pathOf(ref) }, parse }, signal),
  write: async (seen, lock, signal) => {
    const metadata = { resourceVersion: seen.resourceVersion, annotations: { [seen.lockKey]: lock } }
    await client.ask({ verb: 'patch', resource: RESOURCE, path: pathOf(seen), body: { metadata } }, signal)
  },
})

const pathOf = ({ namespace, name }: ObjectRef): string =>
  `/apis/apps/v1/namespaces/${segment(namespace)}/daemonsets/${segment(name)}`

function parse(object: Untrusted): KuredDaemonSet {
  const { namespace, name, resourceVersion, annotations } = parseMetadata(object, 'namespaced')
  const lockKey = lockKeyOf(object)
  const lock = annotations[lockKey]
  const concurrency = Math.max(1, ownersOf(lock), ...kuredFlag(object, 'concurrency').map(numberIn))
  return { namespace, name, resourceVersion, lockKey, ...present({ lock }), concurrency }
}

/** The list that kured wrote last, where the flag is not visible. */
const ownersOf = (lock = ''): number => numberIn(/"maxOwners":(\d+)/.exec(lock)?.[1])

const numberIn = (text: string | undefined): number => (/^\d{1,4}$/.test(text ?? '') ? Number(text) : 0)
