import { celQualifiedName, isQualifiedName } from './annotation-key.ts'
import type { FieldRule } from './field-rule.ts'
import type { Rest, Schema } from './open-api.ts'

/** apimachinery IsValidLabelValue. */
const LABEL_VALUE = '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$'

const SYNTAX: FieldRule = {
  rule: 'notLabels',
  below: '',
  message:
    'a key is not NAME or DOMAIN/NAME, or a value has other signs than letters, digits, "-", "_" and "." or does not begin and end with a letter or digit',
  fix: 'write labels as Kubernetes accepts them, such as app: ingress-nginx',
  cel: `self.all(k, ${celQualifiedName('k')} && self[k].matches('${LABEL_VALUE}'))`,
  holds: (labels) =>
    Object.entries(labels.textMap()).every(
      ([key, value]) => isQualifiedName(key) && new RegExp(LABEL_VALUE, 'u').test(value),
    ),
}

/** Labels, or what labels are compared with. */
export const labels = (description: string, rest: Rest = {}): Schema => ({
  description,
  type: 'object',
  maxProperties: 64,
  ...rest,
  additionalProperties: { type: 'string', maxLength: 63 },
  rules: [SYNTAX],
})
