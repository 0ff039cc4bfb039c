import type { IngressGroup } from '../../../ground/model/ingress-keys.ts'
import { crdSchema } from '../../../ground/model/schema/crd-schema.ts'
import { ingressSchema } from './ingress-schema.ts'

const column = (name: string, jsonPath: string, rest: object = { type: 'integer' }): object => ({
  name,
  jsonPath,
  ...rest,
})

const TEXT = { type: 'string' }
const WIDE = { priority: 1 }

const columns = (): readonly object[] => [
  column('Desired', '.status.desiredNodes'),
  column('Ready', '.status.readyNodes'),
  column('Updated', '.status.updatedNodes'),
  column('Detached', '.status.detachedNodes'),
  column('Stuck', '.status.stuckNodes'),
  column('Age', '.metadata.creationTimestamp', { type: 'date' }),
  column('Status', '.status.conditions[?(@.type=="Ready")].reason', TEXT),
  column('Pods/Node', '.spec.podsPerNode', { type: 'integer', ...WIDE }),
  column('Revision', '.status.updateRevision', { ...TEXT, ...WIDE }),
  column('Images', '.spec.template.spec.containers[*].image', { ...TEXT, ...WIDE }),
]

/** The CustomResourceDefinition of IngressDaemonSets in that group. */
export const ingressCrd = (group: IngressGroup) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `ingressdaemonsets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: {
      plural: 'ingressdaemonsets',
      singular: 'ingressdaemonset',
      kind: 'IngressDaemonSet',
      listKind: 'IngressDaemonSetList',
      // A short name that two groups have is ambiguous for kubectl.
      ...(group === 'evenkeel.dev' ? { shortNames: ['ids'] } : {}),
    },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: columns(),
        schema: { openAPIV3Schema: crdSchema(ingressSchema()) },
      },
    ],
  },
})
