import type { ObjectKind } from '../../ground/model/object-kind.ts'
import { present } from '../../ground/model/present.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import type { ObjectRules } from './object-rules.ts'

interface ObjectParts {
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

/** Rejects where the API refuses, and with the signal's reason. */
export async function askObject(
  { group, version, resource, namespace, object: template, rule }: ObjectQuestion,
  { objects, rules, node }: ObjectParts & { readonly node: string },
  signal: AbortSignal,
): Promise<ObjectAnswer> {
  const kind = { ...{ group, version, resource }, kind: resource, namespaced: namespace !== undefined, parse: RAW }
  const name = template.replaceAll('{node}', node)
  const object = await objects.get({ kind, name, ...present({ namespace }) }, signal)
  const at = `${resource}${group === '' ? '' : `.${group}`} ${namespace === undefined ? '' : `${namespace}/`}${name}`
  if (object === undefined) return { kind: 'unknown', text: `${at} is not there` }
  const answer = rules.evaluate(rule, { object, node })
  if (answer.kind === 'unknown') return { kind: 'unknown', text: `${at}: ${answer.why}` }
  return { kind: answer.kind, text: `${at}: ${answer.kind === 'true' ? rule : `not ${rule}`}` }
}

const RAW: ObjectKind<unknown>['parse'] = (object) => object.raw
