import { segment } from '../../ground/kube/api-call.ts'
import type { ApiClient } from '../../ground/kube/api-client.ts'
import { findObject } from '../../ground/kube/api-object.ts'
import { KURED_LOCK, type KuredDaemonSet } from '../../ground/model/kured-lock.ts'
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
    const metadata = { resourceVersion: seen.resourceVersion, annotations: { [KURED_LOCK]: lock } }
    await client.ask({ verb: 'patch', resource: RESOURCE, path: pathOf(seen), body: { metadata } }, signal)
  },
})

const pathOf = ({ namespace, name }: ObjectRef): string =>
  `/apis/apps/v1/namespaces/${segment(namespace)}/daemonsets/${segment(name)}`

function parse(object: Untrusted): KuredDaemonSet {
  const { namespace, name, resourceVersion, annotations } = parseMetadata(object, 'namespaced')
  const containers = object.at('spec').at('template').at('spec').at('containers').each()
  const lock = annotations[KURED_LOCK]
  const concurrency = Math.max(1, ownersOf(lock), ...containers.map(concurrencyOf))
  return { namespace, name, resourceVersion, ...present({ lock }), concurrency }
}

/** Each flag of kured may also be an environment variable (kured, cmd/kured/main.go, LoadFromEnv). */
function concurrencyOf(container: Untrusted): number {
  const words = [...container.at('command').each(), ...container.at('args').each()].map((word) => word.textOr(''))
  const flags = words.map((word, i) =>
    numberIn(word === '--concurrency' ? words[i + 1] : /^--concurrency=(.*)$/.exec(word)?.[1]),
  )
  const variables = container
    .at('env')
    .each()
    .filter((variable) => variable.at('name').textOr('') === 'KURED_CONCURRENCY')
    .map((variable) => numberIn(variable.at('value').textOr('')))
  return Math.max(0, ...flags, ...variables)
}

/** The list that kured wrote last, where the flag is not visible. */
const ownersOf = (lock = ''): number => numberIn(/"maxOwners":(\d+)/.exec(lock)?.[1])

const numberIn = (text: string | undefined): number => (/^\d{1,4}$/.test(text ?? '') ? Number(text) : 0)
