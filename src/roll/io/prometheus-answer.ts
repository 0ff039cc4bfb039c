import { escapeForeign } from '../../ground/model/foreign-text.ts'
import { isJsonObject, jsonObject } from '../../ground/model/json-object.ts'
import type { MetricAnswer } from '../ports/metric-queries.ts'

const SHOWN_CHARACTERS = 160
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/**
 * The one number of an answer to `/api/v1/query`. Warnings make it unknown: with them, a part of the data may be missing. So do
 * NaN and infinity, which mostly come from a division by zero.
 *
 * Law: an answer of Prometheus that is not exactly one number is unknown.
 */
export function instantAnswer(status: number, body: string): MetricAnswer {
  const unknown = (why: string): MetricAnswer => ({ kind: 'unknown', why: `answered ${status}, and ${why}` })
  const answer = jsonObject(body)
  if (answer === undefined || (answer.status !== 'success' && answer.status !== 'error'))
    return unknown('its body is no answer of the Prometheus API')
  if (answer.status === 'error') return unknown(`says ${shown(answer.errorType)}: ${shown(answer.error)}`)
  if (status < 200 || status > 299) return unknown('says success')
  const { warnings, data } = answer
  if (Array.isArray(warnings) && warnings.length > 0) return unknown(`warns: ${shown(warnings[0])}`)
  const sample = sampleOf(data)
  if ('fault' in sample) return unknown(sample.fault)
  if (!NUMBER.test(sample.text)) return unknown(`its value is ${shown(sample.text)}, which compares with nothing`)
  return { kind: 'value', value: Number(sample.text) }
}

type Sample = { readonly text: string } | { readonly fault: string }

function sampleOf(data: unknown): Sample {
  if (!isJsonObject(data)) return { fault: 'has no data' }
  const { resultType, result } = data
  if (resultType === 'scalar') return pairOf(result)
  if (resultType !== 'vector') return { fault: `its result is a ${shown(resultType)}, not a vector or a scalar` }
  if (!Array.isArray(result)) return { fault: 'its result is no list' }
  if (result.length === 0) return { fault: 'no series matches' }
  if (result.length > 1) return { fault: `${result.length} series match, not one` }
  const [series]: readonly unknown[] = result
  if (!isJsonObject(series)) return { fault: 'its result has no series' }
  return 'histogram' in series ? { fault: 'its value is a histogram' } : pairOf(series.value)
}

/** `[unix time, "text of the value"]` */
function pairOf(value: unknown): Sample {
  const text: unknown = Array.isArray(value) && value.length === 2 ? value[1] : undefined
  return typeof text === 'string' ? { text } : { fault: 'its result has no value' }
}

const shown = (value: unknown): string =>
  escapeForeign(typeof value === 'string' ? value : 'nothing that can be read', SHOWN_CHARACTERS)
