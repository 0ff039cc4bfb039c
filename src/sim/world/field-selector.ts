import { badRequest } from './api-failure.ts'
import type { ApiObject } from './api-object.ts'
import type { ApiResource } from './api-resource.ts'

const ALWAYS = ['metadata.name', 'metadata.namespace']

/** `spec.nodeName=n1,status.phase!=Running`: the query parameter. Throws ApiFailure 400 for a field that cannot be asked for. */
export function parseFieldSelector(resource: ApiResource, text: string): (object: ApiObject) => boolean {
  const tests = text
    .split(',')
    .filter((part) => part !== '')
    .map((part) => fieldTest(resource, part))
  return (object) => tests.every((test) => test(object))
}

function fieldTest(resource: ApiResource, text: string): (object: ApiObject) => boolean {
  const [, field, sign, value = ''] = /^([^=!]+)(==|=|!=)(.*)$/.exec(text) ?? []
  if (field === undefined) throw badRequest(`invalid selector: '${text}'; can't understand '${text}'`)
  if (![...ALWAYS, ...resource.selectable].includes(field)) {
    throw badRequest(`field label not supported: ${field}`)
  }
  const path = field.split('.')
  return (object) => (fieldOf(object, path) === value) === (sign !== '!=')
}

/** As the API writes it into a selector: what is absent is empty, and false where it is a truth value. */
function fieldOf(object: ApiObject, path: readonly string[]): string {
  let value: unknown = object
  for (const name of path) {
    value = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined
  }
  if (value === undefined) return path.at(-1) === 'unschedulable' ? 'false' : ''
  return String(value)
}
