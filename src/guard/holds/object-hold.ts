import type { ObjectKind } from '../../ground/model/object-kind.ts'
import { present } from '../../ground/model/present.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import type { ObjectRules } from './object-rules.ts'

interface ObjectParts {
  /** Whose time the expression takes. */
  readonly of: string
  /** The user by whose rights it is read; absent: ours. */
  readonly as?: string
  readonly objects: Pick<Objects, 'get'>
  readonly rules: ObjectRules
}

/** A condition on one object of the API, whose name may hold {node}. */
interface ObjectQuestion {
  readonly group: string
  readonly version: string
  readonly resource: string
  readonly namespace?: string
  readonly object: string
  readonly rule: string
}

interface ObjectAnswer {
  readonly kind: 'true' | 'false' | 'unknown'
  readonly text: string
}

/** An answer to a question about it would tell its value, one question at a time. */
const isSecret = ({ group, resource }: Pick<ObjectQuestion, 'group' | 'resource'>): boolean =>
  group === '' && resource === 'secrets'

/** Rejects where the API refuses, and with the signal's reason. */
export async function askObject(
  { group, version, resource, namespace, object: template, rule }: ObjectQuestion,
  { of, as, objects, rules, node }: ObjectParts & { readonly node: string },
  signal: AbortSignal,
): Promise<ObjectAnswer> {
  if (isSecret({ group, resource })) return { kind: 'unknown', text: 'Secrets are never read' }
  const kind = { ...{ group, version, resource }, kind: resource, namespaced: namespace !== undefined, parse: RAW }
  const name = template.replaceAll('{node}', node)
  const object = await objects.get({ kind, name, ...present({ namespace, as }) }, signal)
  const at = `${resource}${group === '' ? '' : `.${group}`} ${namespace === undefined ? '' : `${namespace}/`}${name}`
  if (object === undefined) return { kind: 'unknown', text: `${at} is not there` }
  const answer = await rules.evaluate(rule, { of, object, node })
  if (answer.kind === 'unknown') return { kind: 'unknown', text: `${at}: ${answer.why}` }
  return { kind: answer.kind, text: `${at}: ${answer.kind === 'true' ? rule : `not ${rule}`}` }
}

const RAW: ObjectKind<unknown>['parse'] = (object) => object.raw
