import { type ASTNode, Environment, type ParseResult } from '@marcbachmann/cel-js'
import { escapeForeign } from '../../../ground/model/foreign-text.ts'
import { isJsonObject } from '../../../ground/model/json-object.ts'
import { TEXT_MAX } from './cel-values.ts'

export type RuleProgram = { readonly run: ParseResult } | { readonly fault: string }

const LENGTH_MAX = 2_000
const LIMITS = { maxAstNodes: 300, maxDepth: 40, maxListElements: 100, maxMapEntries: 100, maxCallArguments: 8 }
/** Each may double a text: `[a].map(x, x + x)`, and so on. */
const ADDITIONS_MAX = 3
/** To compile a long pattern takes time that nothing ends. */
const PATTERN_MAX = 200
const SHOWN_CHARACTERS = 160

/** What cannot make a text or a list much longer than the object has it. Left out: join, hex, base64, upperAscii, cel.bind. */
const FUNCTIONS = new Set([
  ...['has', 'all', 'exists', 'exists_one', 'map', 'filter', 'size', 'type', 'dyn'],
  ...['bool', 'int', 'uint', 'double', 'string', 'timestamp', 'duration'],
  ...['contains', 'startsWith', 'endsWith', 'matches', 'indexOf', 'lastIndexOf', 'substring', 'split', 'trim'],
  'lowerAscii',
  ...['getFullYear', 'getMonth', 'getDate', 'getDayOfMonth', 'getDayOfWeek', 'getDayOfYear'],
  ...['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'],
])

export const ruleEnvironment = (): Environment =>
  new Environment({ unlistedVariablesAreDyn: false, homogeneousAggregateLiterals: false, limits: LIMITS })
    .registerVariable('object', 'dyn')
    .registerVariable('node', 'string')

/** Reads an expression; what is wrong with it is a sentence without a full stop. */
export function ruleProgram(environment: Environment, expression: string): RuleProgram {
  if (expression.trim() === '') return { fault: 'it is empty' }
  if (expression.length > LENGTH_MAX) return { fault: `it is longer than ${LENGTH_MAX} characters` }
  try {
    const run = environment.parse(expression)
    const fault = wordFault(run.ast) ?? resultFault(run, expression)
    return fault === undefined ? { run } : { fault }
  } catch (error) {
    return { fault: celErrorText(error, expression) }
  }
}

function wordFault(ast: ASTNode): string | undefined {
  const nodes = [...nodesOf(ast)]
  const stranger = nodes.flatMap(({ op, args }) =>
    (op === 'call' || op === 'rcall') && !FUNCTIONS.has(String(args[0])) ? [String(args[0])] : [],
  )[0]
  if (stranger !== undefined) return `the function ${escapeForeign(stranger, SHOWN_CHARACTERS)}() cannot be used here`
  const pattern = nodes.map(patternFault).find((fault) => fault !== undefined)
  if (pattern !== undefined) return pattern
  const additions = nodes.filter(({ op }) => op === '+').length
  return additions > ADDITIONS_MAX ? `it adds more than ${ADDITIONS_MAX} times` : undefined
}

/** Patterns are JavaScript's, which go back over a text without end: the time limit ends them. */
function patternFault({ op, args }: ASTNode): string | undefined {
  if (op !== 'rcall' || args[0] !== 'matches') return undefined
  const [pattern] = args[2] as readonly ASTNode[]
  const text: unknown = pattern?.op === 'value' ? pattern.args : undefined
  if (typeof text !== 'string') return 'the pattern of matches() has to be written out'
  if (text.length > PATTERN_MAX) return `the pattern of matches() is longer than ${PATTERN_MAX} characters`
  try {
    new RegExp(text)
    return undefined
  } catch {
    return `${escapeForeign(text, SHOWN_CHARACTERS)} is not a regular expression`
  }
}

function* nodesOf(part: unknown): Generator<ASTNode> {
  if (Array.isArray(part)) for (const each of part) yield* nodesOf(each)
  if (!isNode(part)) return
  yield part
  yield* nodesOf(part.args)
}

const isNode = (part: unknown): part is ASTNode =>
  typeof part === 'object' && part !== null && 'op' in part && 'args' in part

function resultFault(run: ParseResult, expression: string): string | undefined {
  const checked = run.check()
  if (!checked.valid) return celErrorText(checked.error, expression)
  const { type = 'dyn' } = checked
  return type === 'bool' || type === 'dyn' ? undefined : `its result is ${nounOf(type)}, not true or false`
}

const nounOf = (type: string): string => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)

/** The texts of the library that quote a value of the object, which may be a secret. */
const WITHOUT_VALUE: Readonly<Record<string, string>> = {
  bool_conversion_error: 'a text is neither true nor false',
  invalid_duration: 'a text is no duration',
  numeric_overflow: 'a number is too large',
}

/**
 * One line that names the place: `object.status.ceph is absent`. The library's own text shows the whole expression with a mark
 * below it, which is several lines.
 */
export function celErrorText(error: unknown, expression: string): string {
  if (!(error instanceof Error)) return escapeForeign(String(error), SHOWN_CHARACTERS)
  const place = placeOf(error, expression)
  const code = textOf(error, 'code')
  const isAbsent = code === 'no_such_key' || code === 'index_out_of_bounds'
  if (isAbsent && place !== '') return `${place} is absent`
  if (code === 'unsupported_type') return `a text of more than ${TEXT_MAX} characters cannot be used`
  if (code === undefined) return `the expression failed with a ${error.name}`
  const unquoted = WITHOUT_VALUE[code]
  if (unquoted !== undefined) return `${unquoted}, in ${place}`
  const summary = (textOf(error, 'summary') ?? error.message).replace(/\.$/, '')
  const plain = escapeForeign(summary.replaceAll(/dyn<([^<>]+)>/g, '$1'), SHOWN_CHARACTERS)
  return place === '' ? plain : `${plain}, in ${place}`
}

function placeOf(error: Error, expression: string): string {
  const part: unknown = Reflect.get(error, 'node')
  if (!isJsonObject(part) || typeof part.start !== 'number' || typeof part.end !== 'number') return ''
  const source = expression.slice(part.start, part.end).replaceAll(/\s+/g, ' ').trim()
  return escapeForeign(source, SHOWN_CHARACTERS)
}

const textOf = (error: Error, field: 'code' | 'summary'): string | undefined => {
  const value: unknown = Reflect.get(error, field)
  return typeof value === 'string' ? value : undefined
}
