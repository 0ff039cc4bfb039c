import type { ObjectKind } from '../../ground/model/object-kind.ts'
import type { ObjectStatus } from '../../ground/model/object-status.ts'
import { parseObjectStatus } from '../../ground/model/parse-object-status.ts'
import type { FieldFinding } from '../../ground/model/schema/field-finding.ts'
import { validateObject } from '../../ground/model/schema/validate-object.ts'
import type { NodeGuard } from '../model/node-guard.ts'
import { parseNodeGuard } from '../model/parse-node-guard.ts'
import { guardSchema } from './schema/guard-schema.ts'

/** A NodeGuard with its findings. One with errors is reported, and nothing else is done for it. */
export interface CheckedGuard extends NodeGuard {
  readonly findings: readonly FieldFinding[]
  readonly status: ObjectStatus
}

const SCHEMA = { schema: guardSchema(), kind: 'nodeguard' }

/** The findings of a NodeGuard by itself, as the API server finds them by the schema. `old`: the object before a change. */
export const validateGuard = (object: unknown, old?: unknown): readonly FieldFinding[] =>
  validateObject(SCHEMA, object, old).findings

export const NODE_GUARDS: ObjectKind<CheckedGuard> = {
  group: 'evenkeel.dev',
  version: 'v1alpha1',
  resource: 'nodeguards',
  kind: 'NodeGuard',
  namespaced: true,
  parse: (object) => ({
    ...parseNodeGuard(object),
    findings: validateGuard(object.raw),
    status: parseObjectStatus(object.at('status')),
  }),
}
