import type { Schema } from '../../../ground/model/schema/open-api.ts'
import { OBJECT_RULES } from './spec-rules.ts'
import { specSchema } from './spec-schema.ts'
import { statusSchema } from './status-schema.ts'

/** The schema of an IngressDaemonSet, the same in every group. */
export const ingressSchema = (): Schema => ({
  description:
    'IngressDaemonSet runs one or more pods of an ingress on each node, and takes a node out of its load balancers before its pods change.',
  type: 'object',
  required: ['spec'],
  properties: {
    apiVersion: { type: 'string', description: 'The version of the schema.' },
    kind: { type: 'string', description: 'IngressDaemonSet.' },
    // Said for the rule of the name, whose place it is.
    metadata: { type: 'object', properties: { name: { type: 'string' } } },
    spec: specSchema(),
    status: statusSchema(),
  },
  rules: OBJECT_RULES,
})
