import type { FieldRule } from './field-rule.ts'
import { type Rest, type Schema, text } from './open-api.ts'

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?'

/** What the API takes for a part of a path: apimachinery IsDNS1123Label, IsDNS1123Subdomain, IsDNS1035Label, IsValidPathSegmentName. */
const PARTS = {
  group: { pattern: `^(${LABEL}(\\.${LABEL})*)?$`, max: 253, like: 'apps or ceph.rook.io; the core group has no name' },
  version: { pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$', max: 63, like: 'v1 or v1beta2' },
  resource: { pattern: '^[a-z]([-a-z0-9]*[a-z0-9])?$', max: 63, like: 'configmaps: the plural, in lower case' },
  namespace: { pattern: `^${LABEL}$`, max: 63, like: 'rook-ceph' },
  name: { pattern: '^([^./%][^/%]*|\\.[^./%][^/%]*|\\.\\.[^/%]+)$', max: 253, like: 'rook-ceph, without "/" and "%"' },
} as const

type PathPart = keyof typeof PARTS

const MATCHERS = new Map(Object.entries(PARTS).map(([part, { pattern }]) => [part, new RegExp(pattern, 'u')]))

/**
 * Whether a text may be that part of a path of the API.
 *
 * Law: no name reaches another path than its own.
 */
export const isPathPart = (part: PathPart, value: string): boolean =>
  value.length <= PARTS[part].max && MATCHERS.get(part)?.test(value) === true

/** A field of an object that becomes a part of a path of the API. */
export const pathPart = (part: PathPart, description: string, rest: Rest = {}): Schema => {
  const { pattern, max, like } = PARTS[part]
  const rule: FieldRule = {
    rule: 'notAnApiName',
    below: '',
    message: `not the ${part} of something in the API`,
    fix: `write one such as ${like}`,
    cel: `self.matches('${pattern.replaceAll('\\', '\\\\')}')`,
    holds: (value) => isPathPart(part, value.textOr('')),
  }
  return text(description, { ...rest, maxLength: max, rules: [...(rest.rules ?? []), rule] })
}
