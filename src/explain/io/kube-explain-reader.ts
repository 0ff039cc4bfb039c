import { CLUSTER_KINDS } from '../../ground/kube/cluster-kinds.ts'
import type { FollowParts } from '../../ground/kube/follow.ts'
import { kubeObjects } from '../../ground/kube/kube-objects.ts'
import { parseNode } from '../../ground/kube/parse-node.ts'
import { parsePod } from '../../ground/kube/parse-pod.ts'
import type { Node } from '../../ground/model/node.ts'
import type { ObjectKind } from '../../ground/model/object-kind.ts'
import { present } from '../../ground/model/present.ts'
import type { Untrusted } from '../../ground/model/untrusted.ts'
import type { Readiness, SeenPod } from '../model/seen-pod.ts'
import type { ExplainReader } from '../ports/explain-reader.ts'

/** Needs the rights to get nodes and pods, and to list the kinds that are read. */
export function kubeExplainReader(parts: FollowParts): ExplainReader {
  const objects = kubeObjects(parts)
  return {
    node: (name, signal) => objects.get({ kind: NODES, name }, signal),
    podsOn: (node, signal) => objects.list({ kind: PODS, fieldSelector: `spec.nodeName=${node}` }, signal),
    pod: (ref, signal) => objects.get({ kind: PODS, ...ref }, signal),
    list: (kind, namespace, signal) => objects.list({ kind: CLUSTER_KINDS[kind], ...present({ namespace }) }, signal),
  }
}

const NODES: ObjectKind<{ readonly node: Node; readonly readiness?: Readiness }> = {
  ...CLUSTER_KINDS.nodes,
  parse: (object) => ({ node: parseNode(object), ...present({ readiness: readinessOf(object) }) }),
}

const PODS: ObjectKind<SeenPod> = {
  ...CLUSTER_KINDS.pods,
  parse: (object) => ({ pod: parsePod(object), waiting: waitingOf(object) }),
}

function readinessOf(object: Untrusted): Readiness | undefined {
  const conditions = object.at('status').at('conditions').each()
  const ready = conditions.find((condition) => condition.at('type').textOr('') === 'Ready')
  if (ready === undefined) return undefined
  return {
    reason: ready.at('reason').textOr(''),
    message: ready.at('message').textOr(''),
    ...present({ since: ready.at('lastTransitionTime').optionalText() }),
  }
}

function waitingOf(object: Untrusted): readonly string[] {
  const status = object.at('status')
  const all = [...status.at('initContainerStatuses').each(), ...status.at('containerStatuses').each()]
  return all.flatMap((container) => {
    const waiting = container.at('state').at('waiting')
    const reason = waiting.at('reason').textOr('')
    if (reason === '') return []
    const message = waiting.at('message').textOr('')
    return [`container ${container.at('name').textOr('')}: ${reason}${message === '' ? '' : `: ${message}`}`]
  })
}
