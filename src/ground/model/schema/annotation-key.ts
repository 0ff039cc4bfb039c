import type { FieldRule } from './field-rule.ts'
import { type Rest, type Schema, text } from './open-api.ts'

const PREFIX = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'
/** apimachinery IsQualifiedName, but for the length of the part before "/". */
const QUALIFIED_NAME = `^(${PREFIX}/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$`
const KEY_MAX = 317
const PREFIX_MAX = 253

/** The length is checked first: the time of the expression grows with the square of it. */
export const isQualifiedName = (key: string): boolean =>
  key.length <= KEY_MAX && new RegExp(QUALIFIED_NAME, 'u').test(key) && key.indexOf('/') <= PREFIX_MAX

export const celQualifiedName = (at: string): string =>
  `${at}.size() <= ${KEY_MAX} && ${at}.matches('${QUALIFIED_NAME.replaceAll('\\', '\\\\')}') && ${at}.indexOf('/') <= ${PREFIX_MAX}`

/** A domain and all below it. */
const OURS = '^([a-z0-9.-]+\\.)?evenkeel\\.dev/'
const KUBERNETES = '^([a-z0-9.-]+\\.)?(kubernetes|k8s)\\.io/'

const celOf = (pattern: string): string => pattern.replaceAll('\\', '\\\\')
const isOf = (key: string, pattern: string): boolean => key.length <= KEY_MAX && new RegExp(pattern, 'u').test(key)

const RULES: readonly FieldRule[] = [
  {
    rule: 'notAKey',
    below: '',
    message: 'not the key of an annotation',
    fix: 'write NAME or DOMAIN/NAME, such as node-detacher.variant.run/detached, with at most 63 letters, digits, "-", "_" and "." in NAME; a value goes into the field value',
    cel: celQualifiedName('self'),
    holds: (key) => isQualifiedName(key.textOr('')),
  },
  {
    rule: 'keyOfOurs',
    below: '',
    message: 'annotations of evenkeel.dev belong to Even Keel itself',
    fix: 'choose a key of another domain',
    cel: `!self.matches('${celOf(OURS)}')`,
    holds: (key) => !isOf(key.textOr(''), OURS),
  },
  // The author of an object may have no right to write to Nodes.
  {
    rule: 'keyOfKubernetes',
    below: '',
    message: 'annotations of kubernetes.io and k8s.io belong to Kubernetes',
    fix: 'choose the key that your detacher acts on, such as node-detacher.variant.run/detached',
    cel: `!self.matches('${celOf(KUBERNETES)}')`,
    holds: (key) => !isOf(key.textOr(''), KUBERNETES),
  },
]

const WITH_VALUE = QUALIFIED_NAME.replace(/\$$/, '(=.*)?$')

/** The key of an annotation, or `key=value` in one text, which is no longer than the longest key. */
const REQUEST_RULES: readonly FieldRule[] = RULES.map((one) =>
  one.rule === 'notAKey'
    ? {
        ...one,
        cel: `self.size() <= ${KEY_MAX} && self.matches('${celOf(WITH_VALUE)}') && self.indexOf('/') <= ${PREFIX_MAX}`,
        holds: (key) => isOf(key.textOr(''), WITH_VALUE) && key.textOr('').indexOf('/') <= PREFIX_MAX,
      }
    : one,
)

/** The key of an annotation that is set, or its key and value in one text. */
export const annotationRequest = (description: string): Schema =>
  text(description, { maxLength: KEY_MAX, rules: REQUEST_RULES })

/** The key of an annotation that is set or read. */
export const annotationKey = (description: string, rest: Rest = {}): Schema =>
  text(description, { ...rest, maxLength: KEY_MAX, rules: RULES })
