import { invariant } from '../../ground/model/invariant.ts'
import { present } from '../../ground/model/present.ts'
import {
  COMPARISONS,
  type Comparison,
  type GateQuestion,
  type GateSpec,
  type SecretHeader,
} from '../model/gate-spec.ts'
import type { SecretRef } from '../model/notify-spec.ts'
import type { RollFile } from './schema/roll-file-schema.ts'

type GateFields = NonNullable<RollFile['spec']['gates']>[number]

/** A gate of the file in the form of the engine. */
export function gateOf({
  name,
  before,
  appliesTo,
  timesInARow,
  interval,
  timeout,
  limit,
  ...kinds
}: GateFields): GateSpec {
  const times = { intervalMs: interval, timeoutMs: timeout, limitMs: limit }
  const scopes = appliesTo === undefined ? {} : { appliesTo }
  return { name, before, ...scopes, timesInARow, ...times, question: questionOf(kinds) }
}

type Kinds = Pick<GateFields, 'http' | 'command' | 'prometheus' | 'object'>

function questionOf({ http, command, prometheus, object }: Kinds): GateQuestion {
  if (command !== undefined) return { kind: 'command', argv: command }
  if (http !== undefined) {
    const { expectBody, jsonPath, equals, headers, ...same } = http
    return {
      kind: 'http',
      ...same,
      ...present({ contains: expectBody }),
      ...(jsonPath === undefined || equals === undefined ? {} : { jsonPath, equals }),
      headers: headersOf(headers),
    }
  }
  if (prometheus !== undefined) {
    const { expect, headers, ...same } = prometheus
    return { kind: 'prometheus', ...same, expect: comparisonOf(expect), headers: headersOf(headers) }
  }
  invariant(object !== undefined, 'the schema lets no gate through without a kind')
  const { group = '', version, resource, namespace, name, condition = '', passWhen = ruleOf(condition) } = object
  const where = namespace === undefined ? {} : { namespace }
  return { kind: 'object', group, version, resource, ...where, object: name, passWhen }
}

/** The schema allows only letters, digits and a few signs, and none of them ends a text of CEL. */
function ruleOf(condition: string): string {
  const [type = '', status = 'True'] = condition.split('=')
  return `object.status.conditions.exists(c, c.type == '${type}' && c.status == '${status}')`
}

function comparisonOf(text: string): Comparison {
  const operator = COMPARISONS.toSorted((one, other) => other.length - one.length).find((sign) => text.startsWith(sign))
  invariant(operator !== undefined, 'the schema lets no comparison through without its sign')
  return { operator, value: Number(text.slice(operator.length)) }
}

type HeaderFields = NonNullable<GateFields['http']>['headers']

export const headersOf = (headers: HeaderFields): readonly SecretHeader[] =>
  headers.map(({ name, valueFrom }) => ({ name, value: secretOf(valueFrom) }))

/** The schema refuses a secret with neither. */
export const secretOf = ({ env, file = '' }: { readonly env?: string; readonly file?: string } = {}): SecretRef =>
  env === undefined ? { file } : { env }
