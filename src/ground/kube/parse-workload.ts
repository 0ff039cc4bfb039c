import { lockKeyOf } from '../model/kured-flags.ts'
import { KURED_LOCK } from '../model/kured-lock.ts'
import { parseLabelSelector } from '../model/parse-label-selector.ts'
import { parseMetadata } from '../model/parse-metadata.ts'
import { present } from '../model/present.ts'
import type { Untrusted } from '../model/untrusted.ts'
import type { Workload, WorkloadKind } from '../model/workload.ts'
import { findCondition } from './find-condition.ts'

/** Parses one kind of apps/v1 workload. The kind is passed in, since the items of a list do not bear it. */
export const parseWorkload =
  (kind: WorkloadKind) =>
  (object: Untrusted): Workload => {
    const { namespace, name, uid, labels, annotations, controller } = parseMetadata(object, 'namespaced')
    return {
      kind,
      namespace,
      name,
      uid,
      labels,
      selector: parseLabelSelector(object.at('spec').at('selector')),
      ...(kind === 'DaemonSet' ? daemonSetCounts(object) : replicaCounts(object)),
      ...present({ failure: failureOf(object), controller }),
      ...(kind === 'DaemonSet' ? rebootLockOf(object, annotations) : {}),
    }
  }

function rebootLockOf(
  daemonSet: Untrusted,
  annotations: Readonly<Record<string, string>>,
): Pick<Workload, 'rebootLock' | 'rebootLockKey'> {
  const key = lockKeyOf(daemonSet)
  return present({ rebootLock: annotations[key], rebootLockKey: key === KURED_LOCK ? undefined : key })
}

/** For example, a quota or an admission webhook refused its pod. */
function failureOf(object: Untrusted): string | undefined {
  const failed = findCondition(object, 'ReplicaFailure')
  return failed?.status === 'True' ? failed.message || failed.reason : undefined
}

function daemonSetCounts(object: Untrusted): Pick<Workload, 'desired' | 'ready'> {
  const status = object.at('status')
  return { desired: status.at('desiredNumberScheduled').integerOr(0), ready: status.at('numberReady').integerOr(0) }
}

/** An absent spec.replicas means one (apps/v1). */
function replicaCounts(object: Untrusted): Pick<Workload, 'desired' | 'ready'> {
  return {
    desired: object.at('spec').at('replicas').integerOr(1),
    ready: object.at('status').at('readyReplicas').integerOr(0),
  }
}
