import { plainText } from '../../ground/model/sentence.ts'
import { pathText } from '../../roll/file/field-schema.ts'
import { issueFindings } from '../../roll/file/issue-findings.ts'
import { type JsonSchema, rollFileJsonSchema } from '../../roll/file/roll-file-json-schema.ts'
import { rollFileSchema } from '../../roll/file/schema/roll-file-schema.ts'
import { parseYamlTree } from '../../roll/file/yaml-tree.ts'

type Json = Readonly<Record<string, unknown>>

/** A roll file made of a Roll, or all that is wrong with it: the field, what is wrong, and the fix. */
export type FileOfRoll = { readonly text: string } | { readonly faults: readonly string[] }

/** No field of a roll file is so deep. The checks go down by recursion, and the stack has an end. */
const DEPTH_MAX = 24

/** The text of the roll file with this name and this `spec`. */
export function fileOfRoll(name: string, spec: Json, allowed: readonly unknown[]): FileOfRoll {
  if (isDeeperThan(DEPTH_MAX, spec))
    return { faults: [`spec: a value is nested more than ${DEPTH_MAX} deep; remove it`] }
  const text = JSON.stringify({ apiVersion: 'evenkeel.dev/v1alpha1', kind: 'Roll', metadata: { name }, spec }, null, 1)
  const tree = parseYamlTree(text)
  const site = { tree, schema: rollFileJsonSchema() }
  const read = rollFileSchema.safeParse(tree.value)
  const shape = (read.error?.issues ?? []).flatMap((issue) =>
    issueFindings(site, issue).map(({ text: fault, fix }) => {
      const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
      return `${pathText(path)}: ${fault}${fix === undefined ? '' : `; ${plainText(fix)}`}`
    }),
  )
  if (shape.length > 0) return { faults: shape }
  const faults = [...choosesNothing(spec), ...notAllowed(site.schema, tree.value, allowed)]
  return faults.length > 0 ? { faults } : { text }
}

function isDeeperThan(max: number, spec: Json): boolean {
  let level: readonly unknown[] = [spec]
  for (let depth = 0; depth <= max; depth += 1)
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []))
  return level.length > 0
}

function choosesNothing({ nodes }: Json): readonly string[] {
  const {
    names = [],
    selector,
    all,
  } = (nodes ?? {}) as { readonly names?: readonly unknown[]; selector?: unknown; all?: unknown }
  const isNone = names.length === 0 && selector === undefined && all !== true
  return isNone ? ['spec.nodes: it chooses no nodes; write names, selector or all: true'] : []
}

/** Kinds of values by which an author could run programs and images, read files and variables, or log in somewhere. */
const GUARDED_TITLES: ReadonlySet<string> = new Set(['argument', 'path', 'variable', 'host', 'user name', 'image'])
const GUARDED =
  'a Roll may name a command, file, variable, image, or host of ssh only where an administrator allows this very one'
/** What these name is sent to an address of the author. A path that is allowed elsewhere, as for ssh, is not allowed here. */
const SENT: ReadonlySet<string> = new Set(['file', 'env'])
const ASK = 'remove it, or allow it (docs/rolls.md#allowed)'

/**
 * Values that only an administrator may allow: whoever may create a Roll may not run commands, or read files and variables of the pod.
 * A list of arguments is allowed as a whole.
 */
function notAllowed(root: JsonSchema, value: unknown, allowed: readonly unknown[]): readonly string[] {
  const known = new Set(allowed.map((one) => JSON.stringify(one)))
  const strange = guardedIn(root, value, []).filter((guarded) => !known.has(JSON.stringify(entryOf(guarded))))
  return [...new Set(strange.map(({ path }) => `${pathText(path)}: ${GUARDED}; ${ASK}`))]
}

/** What an administrator has to allow for a roll file, each once, as `rolls.allowed` of the chart takes it. */
export function valuesToAllow(file: unknown): readonly unknown[] {
  const entries = guardedIn(rollFileJsonSchema(), file, []).map(entryOf)
  return [...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values()]
}

const entryOf = ({ path, found }: Guarded): unknown => (SENT.has(String(path.at(-1))) ? { secret: found } : found)

interface Guarded {
  readonly path: readonly (string | number)[]
  readonly found: unknown
}

function guardedIn(schema: JsonSchema | undefined, found: unknown, path: Guarded['path']): readonly Guarded[] {
  if (schema === undefined || found === undefined || found === null) return []
  if (isGuarded(schema)) return [{ path, found }]
  const branches = (schema.anyOf ?? []).flatMap((branch) => guardedIn(branch, found, path))
  return [...branches, ...partsOf(schema, found).flatMap(([step, part, of]) => guardedIn(of, part, [...path, step]))]
}

type Part = readonly [step: string | number, value: unknown, schema: JsonSchema | undefined]

function partsOf(schema: JsonSchema, found: unknown): readonly Part[] {
  if (Array.isArray(found)) return found.map((item, at) => [at, item, schema.items])
  if (typeof found !== 'object' || found === null) return []
  return Object.entries(found).map(([name, value]) => [name, value, fieldOf(schema, name)])
}

const isGuarded = ({ title = '', items }: JsonSchema): boolean =>
  GUARDED_TITLES.has(title) || GUARDED_TITLES.has(items?.title ?? '')

function fieldOf({ properties = {}, additionalProperties }: JsonSchema, name: string): JsonSchema | undefined {
  if (Object.hasOwn(properties, name)) return properties[name]
  return typeof additionalProperties === 'object' ? additionalProperties : undefined
}
