import { GUARD_FINALIZER, GUARD_UID_LABEL } from '../../ground/model/guard-keys.ts'
import type { ObjectKind } from '../../ground/model/object-kind.ts'
import { parseMetadata } from '../../ground/model/parse-metadata.ts'
import { parseWaiting } from '../../ground/model/parse-waiting.ts'
import { present } from '../../ground/model/present.ts'
import { wallMs } from '../../ground/model/time.ts'
import type { Untrusted } from '../../ground/model/untrusted.ts'
import type { GuardPod } from '../decide/found.ts'

export const GUARD_PODS: ObjectKind<GuardPod> = {
  group: '',
  version: 'v1',
  resource: 'pods',
  kind: 'Pod',
  namespaced: true,
  parse: parsePod,
}

function parsePod(object: Untrusted): GuardPod {
  const { namespace, name, uid, resourceVersion, labels } = parseMetadata(object, 'namespaced')
  const metadata = object.at('metadata')
  const nodeName = object.at('spec').at('nodeName').textOr('')
  const phase = object.at('status').at('phase').textOr('')
  const ready = object
    .at('status')
    .at('conditions')
    .each()
    .find((condition) => condition.at('type').textOr('') === 'Ready')
  const since = Date.parse(ready?.at('lastTransitionTime').textOr('') ?? '')
  const finalizers = metadata
    .at('finalizers')
    .each()
    .map((finalizer) => finalizer.text())
  const isLocked = finalizers.includes(GUARD_FINALIZER)
  const deleting = !metadata.at('deletionTimestamp').absent
  const isReady = ready?.at('status').textOr('') === 'True'
  const knownSince = Date.parse(object.at('status').at('startTime').textOr(''))
  return {
    ...{ namespace, name, uid, resourceVersion, labels },
    guardUid: labels[GUARD_UID_LABEL] ?? '',
    ...(nodeName === '' ? {} : { nodeName }),
    isReady: isReady || (deleting && isLocked && wasReady(deletedAt(metadata), { since, knownSince })),
    ...(Number.isNaN(since) ? {} : { readySince: wallMs(since) }),
    deleting,
    isLocked,
    finalizers: finalizers.filter((finalizer) => finalizer !== GUARD_FINALIZER),
    ...present({ waiting: parseWaiting(object) }),
    isFinished: (phase === 'Failed' || phase === 'Succeeded') && !(deleting && isLocked),
  }
}

/**
 * Whether a pod that is not ready now was ready when it was deleted. A kubelet that hears of it only after that, which
 * `startTime` tells, writes that it is not ready for the first time then (pkg/kubelet/status/status_manager.go,
 * updateStatusInternal). In the second of the deletion it may be either.
 */
const wasReady = (
  deletedAtMs: number,
  { since, knownSince }: { readonly since: number; readonly knownSince: number },
) => since > deletedAtMs && knownSince < deletedAtMs

/** The time of the deletion request, in ms since 1970. A shorter grace period moves both fields by the same amount. */
function deletedAt(metadata: Untrusted): number {
  const dueAt = Date.parse(metadata.at('deletionTimestamp').textOr(''))
  return dueAt - 1_000 * (metadata.at('deletionGracePeriodSeconds').optionalInteger() ?? 0)
}
