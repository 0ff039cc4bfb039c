import { GUARD_UID_LABEL } from '../../../src/ground/model/guard-keys.ts'
import type { Node, Taint } from '../../../src/ground/model/node.ts'
import type { FoundDeployment } from '../../../src/ground/model/owned/found-workload.ts'
import type { WantedObject } from '../../../src/ground/model/owned/wanted-object.ts'
import type { OwnedObject } from '../../../src/ground/model/owned-object.ts'
import { type WallMs, wallMs } from '../../../src/ground/model/time.ts'
import type { GuardPod } from '../../../src/guard/decide/found.ts'
import type { WantedGuard } from '../../../src/guard/decide/wanted-guard.ts'
import { wantedDeployment } from '../../../src/guard/decide/wanted-guard.ts'
import type { NodeGuard } from '../../../src/guard/model/node-guard.ts'

export const NOW = wallMs(Date.parse('2026-01-01T12:00:00Z'))

/** A Node that is Ready and bears no cordon, taint or claim. */
export const aNode = (name: string, change: Partial<Node> = {}): Node => ({
  ...{ name, uid: `uid-${name}`, resourceVersion: '1', annotations: {}, unschedulable: false, taints: [] },
  labels: { 'kubernetes.io/hostname': name },
  ...{ ready: 'True', heartbeat: '', bootId: 'b', internalAddresses: ['192.0.2.1'], volumesAttached: [] },
  ...change,
})

export const taint = (key: string, effect = 'NoSchedule'): Taint => ({ key, effect })

/** An object that was made, as it is read again. */
export const madeObject = (wanted: WantedObject, resourceVersion = '1'): OwnedObject => {
  const { metadata, ...content } = wanted
  const { name, labels, annotations, ownerReferences } = metadata
  return {
    ...{ namespace: 'data', name, uid: `uid-${name}`, resourceVersion, deleting: false, labels, annotations },
    owners: ownerReferences,
    content,
  }
}

/** A Deployment whose pods are all of its template. */
export const madeDeployment = (guard: NodeGuard, wanted: WantedGuard, replicas: number): FoundDeployment => ({
  ...madeObject(wantedDeployment(guard, wanted, { replicas, isPaused: false })),
  ...{ replicas, updated: replicas, ready: replicas, available: replicas, isObserved: true },
})

/** A guard that runs on that node and is ready. */
export const aPod = (guard: NodeGuard, nodeName: string, change: Partial<GuardPod> = {}): GuardPod => ({
  ...{ namespace: 'data', name: `guard-of-${nodeName}`, uid: `pod-${guard.uid}-${nodeName}`, resourceVersion: '1' },
  ...{ labels: { [GUARD_UID_LABEL]: guard.uid }, guardUid: guard.uid, nodeName },
  ...{ isReady: true, readySince: earlier(60_000), deleting: false, isFinished: false },
  ...{ isLocked: false, finalizers: [] },
  ...change,
})

const earlier = (ms: number): WallMs => wallMs(NOW - ms)

/** DaemonSet `data/storage-node`, of this pod spec. */
export const aDaemonSet = (podSpec: object = {}): OwnedObject => ({
  ...{ namespace: 'data', name: 'storage-node', uid: 'ds', resourceVersion: '1', deleting: false },
  ...{ labels: {}, annotations: {}, owners: [] },
  content: { spec: { template: { metadata: { labels: { app: 'storage' } }, spec: { containers: [], ...podSpec } } } },
})
