import { JSONPathEnvironment } from 'json-p3'
import { runWithin } from '../machine/run-within.ts'
import { escapeForeign } from '../model/foreign-text.ts'

/** The value at a path, or how many values there are. */
export type ValueAtPath = { readonly value: unknown } | { readonly count: number } | { readonly fault: string }

const LENGTH_MAX = 500
const TIME_LIMIT_MS = 100
/** The depth of arrays and objects; a page that reports a state has a few levels. */
const DEPTH_MAX = 64

const environment = new JSONPathEnvironment({ maxRecursionDepth: DEPTH_MAX })
// Nothing can end the compilation of a regular expression, and the page itself may contain it: match(@.a, @.b).
for (const name of ['match', 'search']) environment.functionRegister.delete(name)

/** Why a JSON path (RFC 9535, without match() and search()) cannot be used; undefined: it can. */
export function pathFault(path: string): string | undefined {
  if (path.length > LENGTH_MAX) return `it is longer than ${LENGTH_MAX} characters`
  try {
    environment.compile(path)
    return undefined
  } catch (error) {
    return faultText(error)
  }
}

/** A valid path may run for long, or without end: `$..[?@..[?@..*]]`. */
export function valueAt(path: string, json: unknown): ValueAtPath {
  try {
    const end = runWithin(TIME_LIMIT_MS, () =>
      environment
        .compile(path)
        .query(json as Queried)
        .values(),
    )
    if (end.kind === 'too long') return { fault: `the path was ended after ${TIME_LIMIT_MS} ms` }
    const [value] = end.value
    return end.value.length === 1 ? { value } : { count: end.value.length }
  } catch (error) {
    return { fault: faultText(error) }
  }
}

type Queried = Parameters<JSONPathEnvironment['query']>[1]

const faultText = (error: unknown): string => escapeForeign(error instanceof Error ? error.message : String(error), 160)
