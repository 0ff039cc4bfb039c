import type { z } from 'zod'
import { nearestName } from '../../ground/text/nearest-name.ts'
import type { FileFinding } from '../model/file-finding.ts'
import { durationFault } from './duration-fault.ts'
import { fieldSchema, knownFields, pathText } from './field-schema.ts'
import type { JsonSchema } from './roll-file-json-schema.ts'
import { shownValue, withArticle, writtenValue } from './shown-value.ts'
import type { Path, YamlTree } from './yaml-tree.ts'

type Issue = z.core.$ZodIssue

interface IssueSite {
  readonly tree: YamlTree
  readonly schema: JsonSchema
}

/** One complaint of the schema, in the words and places of the file; empty where the tree has reported it already. */
export function issueFindings(site: IssueSite, issue: Issue, prefix: Path = []): readonly FileFinding[] {
  const path = [...prefix, ...issue.path.map((step) => (typeof step === 'number' ? step : String(step)))]
  const place: Place = { ...site, path, field: fieldSchema(site.schema, path), value: valueAt(site.tree.value, path) }
  if (place.field?.title === 'not yet') return [notYet(place)]
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((name) => unknownField(place, name))
    case 'invalid_union':
      return unionFindings(site, issue, place)
    case 'invalid_key':
      return issue.issues.slice(0, 1).map((inner) => custom(place, inner, 'key'))
    case 'custom':
      return [custom(place, issue, 'value')]
    case 'invalid_value':
      return place.value === undefined || place.value === null ? wrongType(place) : [unknownWord(place, issue.values)]
    case 'too_small':
    case 'too_big':
      return [outOfRange(place, issue)]
    case 'invalid_format':
      return [mismatch(place, issue.message)]
    default:
      return wrongType(place)
  }
}

interface Place extends IssueSite {
  readonly path: Path
  readonly field: JsonSchema | undefined
  readonly value: unknown
}

function valueAt(root: unknown, path: Path): unknown {
  let current = root
  for (const step of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, step)) return undefined
    current = (current as Readonly<Record<string | number, unknown>>)[step]
  }
  return current
}

const lastName = (path: Path): string => String(path.findLast((step) => typeof step === 'string') ?? '')
const titleOf = ({ field }: Place): string => field?.title ?? 'value'

/** `timeout: 30s`; for an item of a list the value alone. */
function exampleFix(
  place: Place,
  example: unknown = place.field?.examples?.[0] ?? place.field?.default,
): { readonly fix?: string } {
  // It would take out what was written.
  if (example === undefined || (Array.isArray(example) && example.length === 0)) return {}
  const written = writtenValue(example)
  return { fix: typeof place.path.at(-1) === 'string' ? `${lastName(place.path)}: ${written}` : written }
}

function notYet({ tree, path, field }: Place): FileFinding {
  const feature = (field?.description ?? '').replace(/^Not yet: ([^.]*)\..*$/, '$1')
  return {
    code: 'config.not-yet',
    text: `not yet: ${feature}`,
    span: tree.keySpan(path),
    fix: `remove "${lastName(path)}"`,
  }
}

function unknownField({ tree, path, field }: Place, name: string): FileFinding {
  const known = knownFields(field)
  const nearest = nearestName(name, known)
  return {
    code: 'config.unknown-field',
    text: `unknown field "${name}"`,
    span: tree.keySpan([...path, name]),
    hint: `${pathText(path)} has: ${known.join(', ')}`,
    fix: nearest === undefined ? 'remove it' : `write "${nearest}"`,
  }
}

/** For a choice, the branch that the value was meant for: the one that does not refuse its type. */
function unionFindings(site: IssueSite, issue: z.core.$ZodIssueInvalidUnion, place: Place): readonly FileFinding[] {
  const isList = typeof place.value === 'object'
  const refusesType = ({ code, path }: Issue): boolean =>
    path.length === 0 && (code === 'invalid_type' || (isList && code === 'invalid_value'))
  const meant = issue.errors.find((errors) => !errors.some(refusesType))
  if (meant === undefined) return wrongType(place)
  return meant.flatMap((inner) => issueFindings(site, inner, place.path))
}

function custom(place: Place, issue: Issue, part: 'key' | 'value'): FileFinding {
  const params: Readonly<Record<string, unknown>> = (issue.code === 'custom' && issue.params) || {}
  const { code, hint, fix, at } = params
  const span = part === 'key' || at === 'key' ? place.tree.keySpan(place.path) : place.tree.valueSpan(place.path)
  return {
    code: typeof code === 'string' ? code : 'config.value',
    text: issue.message,
    span,
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(typeof fix === 'string' ? customFix(place, fix, code) : exampleFix(place)),
  }
}

const customFix = (place: Place, fix: string, code: unknown): { readonly fix?: string } =>
  code === 'config.duration' || code === 'config.range' ? exampleFix(place, fix) : { fix }

function unknownWord(place: Place, values: readonly unknown[]): FileFinding {
  const words = values.map(String)
  const nearest = nearestName(String(place.value), words) ?? words[0]
  return {
    code: typeof place.value === 'object' ? 'config.type' : 'config.value',
    text:
      typeof place.value === 'object'
        ? `${shownValue(place.value)} is not ${withArticle(titleOf(place))}`
        : `unknown ${lastName(place.path)} ${shownValue(place.value)}`,
    span: place.tree.valueSpan(place.path),
    hint: `${words.length === 1 ? 'expected' : 'one of'}: ${words.join(', ')}`,
    ...exampleFix(place, nearest),
  }
}

function outOfRange(place: Place, issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig): FileFinding {
  const { tree, path, field, value } = place
  const base = { code: 'config.range', span: tree.valueSpan(path) }
  const isTooFew = issue.code === 'too_small'
  const limit = isTooFew ? `at least ${issue.minimum}` : `at most ${issue.maximum}`
  if ((issue.origin === 'array' || issue.origin === 'string') && isTooFew && isEmpty(value)) {
    const list = issue.origin === 'array' ? ' list' : ''
    return { ...base, text: `"${lastName(path)}" is ${list === '' ? 'empty' : 'an empty list'}`, ...exampleFix(place) }
  }
  if (issue.origin === 'array') {
    const count = Array.isArray(value) ? value.length : 0
    return { ...base, text: `"${lastName(path)}" has ${count === 1 ? '1 entry' : `${count} entries`}`, hint: limit }
  }
  if (issue.origin === 'string')
    return { ...base, text: `${shownValue(value)} is too ${isTooFew ? 'short' : 'long'}`, hint: `${limit} characters` }
  const text = `${shownValue(value)} is too ${isTooFew ? 'small' : 'large'}`
  return {
    ...base,
    text,
    hint: `${field?.minimum ?? ''} to ${field?.maximum ?? ''}`.trim(),
    ...exampleFix(place, field?.default),
  }
}

const isEmpty = (value: unknown): boolean => (Array.isArray(value) || typeof value === 'string') && value.length === 0

function mismatch(place: Place, rule: string): FileFinding {
  const text = `${shownValue(place.value)} is not ${withArticle(titleOf(place))}`
  return { code: 'config.value', text, span: place.tree.valueSpan(place.path), hint: rule, ...exampleFix(place) }
}

function wrongType(place: Place): readonly FileFinding[] {
  const { tree, path, value } = place
  if (value === undefined) return tree.isWritten(path) ? [] : [missing(place)]
  const span = tree.valueSpan(path)
  if (value === null && path.length === 0) {
    return [{ code: 'config.empty', text: 'the file is empty', span, fix: BEGINNING }]
  }
  if (value === null) {
    return [
      {
        code: 'config.empty',
        text: `"${lastName(path)}" has no value`,
        span,
        hint: withArticle(titleOf(place)),
        ...exampleFix(place),
      },
    ]
  }
  const duration =
    place.field?.title === 'duration' && typeof value === 'number' ? durationFault(String(value)) : undefined
  if (duration !== undefined) return [{ ...duration, span, ...exampleFix(place, duration.fix) }]
  const base = { code: 'config.type', text: `${shownValue(value)} is not ${withArticle(titleOf(place))}`, span }
  if (path.length === 0) return [{ ...base, fix: BEGINNING }]
  if (place.field?.type === 'array' && typeof value === 'object') return [{ ...base, fix: entryFix(place) }]
  const readAs = typeof value
  const isText = place.field?.type === 'string'
  if (isText && (readAs === 'number' || readAs === 'boolean')) {
    return [
      { ...base, hint: `read as a ${readAs === 'number' ? 'number' : 'switch'}`, ...exampleFix(place, String(value)) },
    ]
  }
  const meant = place.field?.type === 'boolean' ? SWITCH_WORDS[String(value).toLowerCase()] : undefined
  return [{ ...base, ...exampleFix(place, meant) }]
}

const BEGINNING = 'begin with "apiVersion: evenkeel.dev/v1alpha1"'

/** A section where a list of sections is meant lacks the dash alone. */
function entryFix({ field }: Place): string {
  const [example] = field?.examples ?? []
  const [entry] = Array.isArray(example) ? (example as readonly unknown[]) : []
  return `begin each entry with "- "${entry === undefined ? '' : `, as in - ${writtenValue(entry)}`}`
}

const SWITCH_WORDS: Readonly<Record<string, boolean>> = { yes: true, on: true, no: false, off: false }

function missing(place: Place): FileFinding {
  const parent = place.path.slice(0, -1)
  const required = fieldSchema(place.schema, parent)?.required ?? []
  return {
    code: 'config.missing-field',
    text: `missing field "${lastName(place.path)}"`,
    span: place.tree.keySpan(parent),
    hint: `${pathText(parent)} needs: ${required.join(', ')}`,
    ...exampleFix(place),
  }
}
