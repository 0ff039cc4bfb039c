import type { FoundDaemonSet, FoundDeployment, IngressPod } from '../../core/ingress/found.ts'
import { INGRESS_NODE_LABEL, INGRESS_UID_LABEL, REVISION_HASH_LABEL } from '../../model/ingress-keys.ts'
import type { ObjectKind } from '../../model/object-kind.ts'
import { type OwnedObject, parseOwnedObject } from '../../model/owned-object.ts'
import { parseCreatedAt, parseMetadata } from '../../model/parse-metadata.ts'
import type { Untrusted } from '../../model/untrusted.ts'

const apps = { group: 'apps', version: 'v1', namespaced: true } as const

export const DEPLOYMENTS: ObjectKind<FoundDeployment> = {
  ...apps,
  resource: 'deployments',
  kind: 'Deployment',
  parse: parseDeployment,
}

export const DAEMON_SETS: ObjectKind<FoundDaemonSet> = {
  ...apps,
  resource: 'daemonsets',
  kind: 'DaemonSet',
  parse: parseDaemonSet,
}

export const REVISIONS: ObjectKind<OwnedObject> = {
  ...apps,
  resource: 'controllerrevisions',
  kind: 'ControllerRevision',
  parse: parseOwnedObject,
}

export const GATES: ObjectKind<OwnedObject> = {
  group: 'policy',
  version: 'v1',
  resource: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
  parse: parseOwnedObject,
}

export const INGRESS_PODS: ObjectKind<IngressPod> = {
  group: '',
  version: 'v1',
  resource: 'pods',
  kind: 'Pod',
  namespaced: true,
  parse: parsePod,
}

function parseDeployment(object: Untrusted): FoundDeployment {
  const status = object.at('status')
  const generation = object.at('metadata').at('generation').integerOr(0)
  return {
    ...parseOwnedObject(object),
    replicas: object.at('spec').at('replicas').integerOr(1),
    updated: status.at('updatedReplicas').integerOr(0),
    ready: status.at('readyReplicas').integerOr(0),
    available: status.at('availableReplicas').integerOr(0),
    isObserved: status.at('observedGeneration').integerOr(0) >= generation,
  }
}

function parseDaemonSet(object: Untrusted): FoundDaemonSet {
  const status = object.at('status')
  const generation = object.at('metadata').at('generation').integerOr(0)
  return {
    ...parseOwnedObject(object),
    desired: status.at('desiredNumberScheduled').integerOr(0),
    updated: status.at('updatedNumberScheduled').integerOr(0),
    available: status.at('numberAvailable').integerOr(0),
    isObserved: status.at('observedGeneration').integerOr(0) >= generation,
  }
}

/** Of a pod that was ended, and of one that is not let in (kubelet, nodeshutdown_manager.go). Neither is deleted. */
const SHUTDOWN: readonly string[] = ['Terminated', 'NodeShutdown']

function parsePod(object: Untrusted): IngressPod {
  const { namespace, name, uid, resourceVersion, labels } = parseMetadata(object, 'namespaced')
  const phase = object.at('status').at('phase').textOr('')
  const isOfShutdown = SHUTDOWN.includes(object.at('status').at('reason').textOr(''))
  const isLeaving = !object.at('metadata').at('deletionTimestamp').absent
  return {
    ...{ namespace, name, uid, resourceVersion },
    ingressUid: labels[INGRESS_UID_LABEL] ?? '',
    nodeLabel: labels[INGRESS_NODE_LABEL] ?? '',
    revision: labels[REVISION_HASH_LABEL] ?? '',
    // What is deleted ends with whatever exit code its containers have.
    isFailed: phase === 'Failed' && !isLeaving && !isOfShutdown,
    isShutDown: phase === 'Failed' && !isLeaving && isOfShutdown,
    isRunning: phase === 'Running' && !isLeaving,
    isFinished: phase === 'Failed' || phase === 'Succeeded',
    createdAt: parseCreatedAt(object),
  }
}
