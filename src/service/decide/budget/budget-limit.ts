import type { ConfigMap } from '../../../ground/model/config-map.ts'
import { type OutLimit, parseOutLimit } from '../../../ground/model/out-limit.ts'
import type { Reason } from '../../../ground/model/reason.ts'
import { kubectl } from '../../../ground/model/sentence.ts'
import { BUDGET_CONFIG_MAP, MAX_OUT_KEY } from '../../model/budget-object.ts'

/** The limit in the budget object; absent: there is no such object. */
type BudgetLimit =
  | { readonly kind: 'absent' }
  | { readonly kind: 'limit'; readonly limit: OutLimit }
  | { readonly kind: 'invalid'; readonly reason: Reason }

const SHOWN_MAX = 20

/**
 * Any user with the right may have written the object: a value that makes no sense is an error that names the field, and no
 * limit.
 */
export function budgetLimit(found: ConfigMap | undefined): BudgetLimit {
  if (found === undefined) return { kind: 'absent' }
  const text = found.data[MAX_OUT_KEY]?.trim()
  const limit = text === undefined ? undefined : parseOutLimit(text)
  return limit === undefined ? { kind: 'invalid', reason: invalid(found.namespace, text) } : { kind: 'limit', limit }
}

function invalid(namespace: string, text: string | undefined): Reason {
  const object = `ConfigMap ${namespace}/${BUDGET_CONFIG_MAP}`
  const found = text === undefined ? 'is missing' : `is ${shown(text)}`
  return {
    code: 'MaxOutInvalid',
    object,
    text: `data.${MAX_OUT_KEY} of ${object} ${found}; it must be a number from 1 on, or a percentage from 1% to 100%`,
    next: kubectl`-n ${namespace} patch configmap ${BUDGET_CONFIG_MAP} --type merge -p ${JSON.stringify({ data: { [MAX_OUT_KEY]: '1' } })}`,
  }
}

const shown = (text: string): string => JSON.stringify(text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text)
