import { present } from '../../../ground/model/present.ts'
import { pathPart } from '../../../ground/model/schema/api-names.ts'
import { rulesOf } from '../../../ground/model/schema/field-rule.ts'
import { object, text } from '../../../ground/model/schema/open-api.ts'
import type { HoldKind } from './hold-kind.ts'

/** A condition in CEL on one object of the API, whose name is `object` and may hold {node}. */
interface ObjectHold {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly namespace?: string
  readonly object: string
  readonly clearWhen: string
}

const OBJECT_HOLD_RULES = rulesOf({
  secret: {
    field: 'spec.holds[].object.resource',
    message: 'a hold never reads Secrets: its answers would tell their values',
    fix: 'let the program write its state into another object, such as a ConfigMap',
  },
})('spec.holds[].object', {
  secret: [
    "self.resource != 'secrets' || (has(self.group) && self.group != '')",
    (self) => self.at('resource').textOr('') !== 'secrets' || self.at('group').textOr('') !== '',
  ],
})

export const objectHold: HoldKind<ObjectHold> = {
  schema: object(
    'A condition on one object of the API. The account evenkeel-holds in the namespace of the NodeGuard needs the right to get it.',
    {
      group: pathPart('group', 'Its API group. Defaults to the core group. Example: ceph.rook.io.'),
      version: pathPart('version', 'Its API version. Example: v1.', { minLength: 1 }),
      resource: pathPart(
        'resource',
        'Its kind as in URLs: the plural, in lower case. Secrets are never read. Example: cephclusters.',
        { minLength: 1 },
      ),
      namespace: pathPart('namespace', 'Its namespace. By default, the object is cluster-scoped.', { minLength: 1 }),
      name: pathPart('name', 'Its name. {node} stands for the name of the node. Example: rook-ceph.', { minLength: 1 }),
      clearWhen: text(
        `A CEL expression that is true if the hold is clear. object is the object, node is the name of the node. Example: "object.status.ceph.health == 'HEALTH_OK'".`,
        { minLength: 1, maxLength: 1_024 },
      ),
    },
    { required: ['version', 'resource', 'name', 'clearWhen'], rules: OBJECT_HOLD_RULES },
  ),
  parse: (field) => ({
    group: field.at('group').textOr(''),
    version: field.at('version').text(),
    resource: field.at('resource').text(),
    ...present({ namespace: field.at('namespace').optionalText() }),
    object: field.at('name').text(),
    clearWhen: field.at('clearWhen').text(),
  }),
  clearText: ({ clearWhen, resource, group, namespace, object: name }, node) =>
    `clear when ${clearWhen}, of ${resource}${group === '' ? '' : `.${group}`} ${
      namespace === undefined ? '' : `${namespace}/`
    }${name.replaceAll('{node}', node)}`,
}
