import type { Pod } from '../../ground/model/pod.ts'
import type { Reason } from '../../ground/model/reason.ts'
import type { RecordedDaemon } from '../../service/model/node-record.ts'
import type { RecordedSnapshot } from './node-snapshot.ts'
import { podsHere } from './pods-here.ts'

/** A DaemonSet or static pod that was Ready when the node was recorded, with its pods on the node now. */
export interface ExpectedDaemon {
  readonly daemon: RecordedDaemon
  readonly pods: readonly Pod[]
}

/** A pod that was not Ready before is not waited for, and a deleted DaemonSet cannot come back. */
export const expectedDaemons = (s: RecordedSnapshot): readonly ExpectedDaemon[] =>
  s.record.daemons
    .filter((daemon) => daemon.ready && !isObsolete(s, daemon))
    .map((daemon) => ({ daemon, pods: podsHere(s).filter((pod) => isPodOf(pod, daemon)) }))

export function daemonNotBack({ kind, namespace, name }: RecordedDaemon, why: string): Reason {
  const object = `${namespace}/${name}`
  const text = `${kind === 'mirror' ? 'static pod' : 'DaemonSet'} ${object} ${why}`
  return { code: 'DaemonNotBack', object, text }
}

const isObsolete = (s: RecordedSnapshot, daemon: RecordedDaemon): boolean =>
  daemon.kind === 'DaemonSet' &&
  !s.cluster.workloads.some(
    (workload) =>
      workload.kind === 'DaemonSet' && workload.namespace === daemon.namespace && workload.name === daemon.name,
  )

function isPodOf(pod: Pod, daemon: RecordedDaemon): boolean {
  if (pod.namespace !== daemon.namespace) return false
  return daemon.kind === 'mirror'
    ? pod.mirror && pod.name === daemon.name
    : pod.controller?.kind === 'DaemonSet' && pod.controller.name === daemon.name
}
