import { crdSchema } from '../../../ground/model/schema/crd-schema.ts'
import { guardSchema } from './guard-schema.ts'

const TEXT = { type: 'string' }
const WIDE = { priority: 1 }

const column = (name: string, jsonPath: string, rest: object = { type: 'integer' }): object => ({
  name,
  jsonPath,
  ...rest,
})

/** The CustomResourceDefinition of NodeGuards. */
export const guardCrd = () => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'nodeguards.evenkeel.dev' },
  spec: {
    group: 'evenkeel.dev',
    scope: 'Namespaced',
    names: {
      plural: 'nodeguards',
      singular: 'nodeguard',
      kind: 'NodeGuard',
      listKind: 'NodeGuardList',
      shortNames: ['ng'],
    },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          column('Desired', '.status.desiredNodes'),
          column('Guarded', '.status.guardedNodes'),
          column('Requested', '.status.requestedNodes'),
          column('Held', '.status.heldNodes'),
          column('Granted', '.status.grantedNode', TEXT),
          column('Age', '.metadata.creationTimestamp', { type: 'date' }),
          column('Status', '.status.conditions[?(@.type=="Ready")].reason', TEXT),
          column('Mode', '.spec.mode', { ...TEXT, ...WIDE }),
          column('Group', '.spec.group', { ...TEXT, ...WIDE }),
        ],
        schema: { openAPIV3Schema: crdSchema(guardSchema()) },
      },
    ],
  },
})
