import type { ObjectKind } from '../../model/object-kind.ts'
import type { FoundDaemonSet, FoundDeployment } from '../../model/owned/found-workload.ts'
import { type OwnedObject, parseOwnedObject } from '../../model/owned-object.ts'
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

export const GATES: ObjectKind<OwnedObject> = {
  group: 'policy',
  version: 'v1',
  resource: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
  parse: parseOwnedObject,
}

function parseDeployment(object: Untrusted): FoundDeployment {
  const status = object.at('status')
  return {
    ...parseWorkload(object),
    replicas: object.at('spec').at('replicas').integerOr(1),
    updated: status.at('updatedReplicas').integerOr(0),
    ready: status.at('readyReplicas').integerOr(0),
    available: status.at('availableReplicas').integerOr(0),
  }
}

function parseDaemonSet(object: Untrusted): FoundDaemonSet {
  const status = object.at('status')
  return {
    ...parseWorkload(object),
    desired: status.at('desiredNumberScheduled').integerOr(0),
    updated: status.at('updatedNumberScheduled').integerOr(0),
    available: status.at('numberAvailable').integerOr(0),
  }
}

function parseWorkload(object: Untrusted): OwnedObject & { readonly isObserved: boolean } {
  const observed = object.at('status').at('observedGeneration').integerOr(0)
  return { ...parseOwnedObject(object), isObserved: observed >= object.at('metadata').at('generation').integerOr(0) }
}
