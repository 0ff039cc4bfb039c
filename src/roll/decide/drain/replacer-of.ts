import { APPS_KINDS, type Pod, type PodOwner } from '../../../ground/model/pod.ts'
import { type Workload, workloadKey } from '../../../ground/model/workload.ts'
import { guardOf } from './guard-of.ts'
import { workloadOf } from './workload-of.ts'

/** What starts another pod where one leaves. A drain goes by it: one of its pods at a time, and the next once it has as many as before. */
export type Replacer = Pick<Workload, 'namespace' | 'name' | 'uid' | 'failure'> & {
  readonly kind: string
  /** Absent: it is known by its pods alone. */
  readonly desired?: number
}

/** A workload of apps/v1, or a controller of another kind whose pods are meant to run on. */
export const replacerOf = (pod: Pod, workloads: readonly Workload[]): Replacer | undefined =>
  workloadOf(pod, workloads) ?? knownByPods(pod)

/** Those of these keys that a drain waits for. A workload of apps/v1 that does not exist any more starts no pod. */
export function replacersOf(keys: ReadonlySet<string>, workloads: readonly Workload[]): readonly Replacer[] {
  const known = workloads.filter((workload) => workload.kind !== 'DaemonSet' && keys.has(workloadKey(workload)))
  return [...known, ...[...keys].flatMap((key) => parsed(key) ?? [])]
}

function knownByPods(pod: Pod): Replacer | undefined {
  const { controller, namespace } = pod
  if (controller === undefined || pod.runsToEnd === true || pod.mirror) return undefined
  if (pod.polite !== undefined || guardOf(pod) !== undefined) return undefined
  const { name } = controller
  return parsed(workloadKey({ kind: kindOf(controller), namespace, name }))
}

/** As kubectl takes it, where another group has a kind of the same name: `StatefulSet.apps.kruise.io`. */
function kindOf({ kind, apiVersion }: PodOwner): string {
  return apiVersion === undefined ? kind : `${kind}.${apiVersion.split('/')[0]}`
}

/** It has its key for its uid: no object of it is read, and it may have no pod just now. */
function parsed(key: string): Replacer | undefined {
  const [, kind = '', namespace = '', name = ''] = /^(\S+) ([^/]*)\/(.+)$/.exec(key) ?? []
  return kind === '' || APPS_KINDS.has(kind) ? undefined : { kind, namespace, name, uid: key }
}
