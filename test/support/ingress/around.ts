import type { IngressGroup } from '../../../src/ground/model/ingress-keys.ts'
import type { Node } from '../../../src/ground/model/node.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'
import { type CheckedIngress, ingressKind } from '../../../src/ingress/decide/ingress-kind.ts'
import type { Neighbours, PortService } from '../../../src/ingress/decide/neighbours.ts'

type Json = Readonly<Record<string, unknown>>

interface Made {
  readonly group?: IngressGroup
  readonly namespace?: string
  /** Seconds of the first minute of 2026. */
  readonly second?: number
  readonly generation?: number
  readonly status?: Json
}

/** An IngressDaemonSet as it is stored; `labels` of its pods are `app: NAME`. */
export const stored = (name: string, spec: Json = {}, made: Made = {}): Json => {
  const { group = 'evenkeel.dev', namespace = 'default', second = 0, generation = 1, status } = made
  const template = { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } }
  return {
    apiVersion: `${group}/v1alpha1`,
    kind: 'IngressDaemonSet',
    metadata: {
      ...{ name, namespace, generation, uid: `uid-${group}-${name}`, resourceVersion: '1' },
      creationTimestamp: `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`,
    },
    spec: { template, ...spec },
    ...(status === undefined ? {} : { status }),
  }
}

/** The status of one that the controller carries at that generation; `refusal`: its condition Stalled has that reason. */
export const carriedAt = (observedGeneration: number, refusal?: string): Json => ({
  observedGeneration,
  conditions:
    refusal === undefined
      ? []
      : [{ type: 'Stalled', status: 'True', reason: refusal, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }],
})

export const checked = (object: Json): CheckedIngress => {
  const group = String(object.apiVersion).split('/')[0] as IngressGroup
  return ingressKind(group).parse(new Untrusted(object, 'object'))
}

/** `n1 pool=edge`: a Ready Node with that label. */
export const nodesOf = (...lines: readonly string[]): readonly Node[] =>
  lines.map((line) => {
    const [name = '', ...labels] = line.split(' ')
    return {
      ...{ name, uid: `uid-${name}`, resourceVersion: '1', annotations: {}, unschedulable: false, taints: [] },
      ...{ ready: 'True', heartbeat: '', bootId: '', internalAddresses: [], volumesAttached: [] },
      labels: Object.fromEntries(labels.map((label) => label.split('=') as [string, string])),
    }
  })

export const service = (name: string, ports: Partial<PortService>): PortService => ({
  ...{ namespace: 'default', name, uid: `uid-${name}`, resourceVersion: '1', nodePorts: [] },
  createdAt: wallMs(0),
  ...ports,
})

export const around = (parts: Partial<Neighbours>): Neighbours => ({
  ...{ objects: [], services: [], budgets: [], nodes: nodesOf('n1', 'n2', 'n3') },
  ...parts,
})
