import {
  INGRESS_LABEL,
  INGRESS_NODE_LABEL,
  INGRESS_UID_LABEL,
  REVISION_HASH_LABEL,
} from '../../ground/model/ingress-keys.ts'
import type { ObjectKind } from '../../ground/model/object-kind.ts'
import { type OwnedObject, parseOwnedObject } from '../../ground/model/owned-object.ts'
import { parseCreatedAt, parseMetadata } from '../../ground/model/parse-metadata.ts'
import { parseWaiting } from '../../ground/model/parse-waiting.ts'
import { present } from '../../ground/model/present.ts'
import type { Untrusted } from '../../ground/model/untrusted.ts'
import type { IngressPod } from '../decide/found.ts'

export const REVISIONS: ObjectKind<OwnedObject> = {
  group: 'apps',
  version: 'v1',
  namespaced: true,
  resource: 'controllerrevisions',
  kind: 'ControllerRevision',
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

/** Of a pod that was ended or rejected in a shutdown, which is not deleted (kubelet, nodeshutdown_manager.go). */
const SHUTDOWN: readonly string[] = ['Terminated', 'NodeShutdown']

function parsePod(object: Untrusted): IngressPod {
  const { namespace, name, uid, resourceVersion, labels } = parseMetadata(object, 'namespaced')
  const phase = object.at('status').at('phase').textOr('')
  const isOfShutdown = SHUTDOWN.includes(object.at('status').at('reason').textOr(''))
  const isLeaving = !object.at('metadata').at('deletionTimestamp').absent
  return {
    ...{ namespace, name, uid, resourceVersion },
    ingress: labels[INGRESS_LABEL] ?? '',
    ingressUid: labels[INGRESS_UID_LABEL] ?? '',
    nodeLabel: labels[INGRESS_NODE_LABEL] ?? '',
    revision: labels[REVISION_HASH_LABEL] ?? '',
    // A deleted pod may end with any exit code.
    isFailed: phase === 'Failed' && !isLeaving && !isOfShutdown,
    isShutDown: phase === 'Failed' && !isLeaving && isOfShutdown,
    isRunning: phase === 'Running' && !isLeaving,
    isFinished: phase === 'Failed' || phase === 'Succeeded',
    createdAt: parseCreatedAt(object),
    ...present({ waiting: parseWaiting(object) }),
  }
}
