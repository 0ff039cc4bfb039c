import { readFileSync } from 'node:fs'
import { parseAllDocuments } from 'yaml'

/** A right of the shipped identity that a user is not given. */
export interface MissingRight {
  readonly verb: string
  readonly resource: string
}

interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly resourceNames?: readonly string[]
  readonly verbs: readonly string[]
}

interface RbacObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly rules?: readonly Rule[]
  readonly roleRef?: { readonly apiGroup: string; readonly kind: string; readonly name: string }
}

const SHIPPED = new URL('../../../deploy/roll-rbac.yaml', import.meta.url)

/** Objects that give `user` the rights of the shipped identity but for one. */
export function narrowedRbac(user: string, missing: MissingRight): readonly object[] {
  return parseAllDocuments(readFileSync(SHIPPED, 'utf8'))
    .map((document) => document.toJS() as RbacObject)
    .filter(({ kind }) => kind.startsWith('Role') || kind.startsWith('ClusterRole'))
    .map((object) => renamed(object, user))
    .map(({ rules, ...object }) => (rules === undefined ? object : { ...object, rules: narrowed(rules, missing) }))
}

function renamed(object: RbacObject, user: string): RbacObject & { readonly subjects?: readonly object[] } {
  const name = (plain: string): string => `${plain}-${user}`
  const metadata = { ...object.metadata, name: name(object.metadata.name) }
  if (object.roleRef === undefined) return { ...object, metadata }
  const { apiGroup } = object.roleRef
  const roleRef = { ...object.roleRef, name: name(object.roleRef.name) }
  return { ...object, metadata, roleRef, subjects: [{ kind: 'User', name: user, apiGroup }] }
}

function narrowed(rules: readonly Rule[], { verb, resource }: MissingRight): readonly Rule[] {
  return rules
    .flatMap((rule) => rule.resources.map((one) => ({ ...rule, resources: [one] })))
    .map((rule) =>
      rule.resources.includes(resource) ? { ...rule, verbs: rule.verbs.filter((given) => given !== verb) } : rule,
    )
    .filter(({ verbs }) => verbs.length > 0)
}
