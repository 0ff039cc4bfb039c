import { isAlias, isMap, isScalar, isSeq, type Node, type Pair, parseDocument } from 'yaml'
import type { FileFinding, Span } from '../model/file-finding.ts'
import { placeAt } from './source-text.ts'
import { syntaxFinding } from './yaml-syntax-finding.ts'

export type Path = readonly (string | number)[]

/** A YAML text as plain values (own fields only, no prototype tricks), and the place where each was written. */
export interface YamlTree {
  readonly value: unknown
  readonly findings: readonly FileFinding[]
  /** Too damaged to judge its fields. */
  readonly broken: boolean
  isWritten(path: Path): boolean
  /** The place of the value at `path`, or of its nearest written parent. */
  valueSpan(path: Path): Span
  /** The place of the last name of `path`; for items of a list, of the item itself. */
  keySpan(path: Path): Span
}

interface Written {
  readonly key?: Span
  readonly value: Span
}

const MAX_DEPTH = 32

/** Parses one YAML 1.2 document of the core schema. Never throws, whatever the text. */
export function parseYamlTree(text: string): YamlTree {
  const document = parseDocument(text, {
    prettyErrors: false,
    stringKeys: true,
    uniqueKeys: false,
    logLevel: 'error',
    version: '1.2',
  })
  const findings: FileFinding[] = document.errors.map(syntaxFinding)
  const broken = document.errors.length > 0
  const walk: Walk = { written: new Map(), findings, text }
  const value = broken ? undefined : plainValue(walk, document.contents, [])
  const spanOf = (path: Path, part: keyof Written): Span => nearestSpan(walk.written, path, part)
  return {
    value,
    findings,
    broken,
    isWritten: (path) => walk.written.has(keyOf(path)),
    valueSpan: (path) => spanOf(path, 'value'),
    keySpan: (path) => spanOf(path, 'key'),
  }
}

interface Walk {
  readonly written: Map<string, Written>
  readonly findings: FileFinding[]
  readonly text: string
}

function nearestSpan(written: ReadonlyMap<string, Written>, path: Path, part: keyof Written): Span {
  for (let length = path.length; length >= 0; length -= 1) {
    const found = written.get(keyOf(path.slice(0, length)))
    if (found === undefined) continue
    const exact = length === path.length
    return exact && part === 'value' ? found.value : (found.key ?? found.value)
  }
  return [0, 0]
}

const keyOf = (path: Path): string => JSON.stringify(path)
const spanOfNode = (node: Node | null | undefined): Span => [node?.range?.[0] ?? 0, node?.range?.[1] ?? 0]

function plainValue(walk: Walk, node: Node | null, path: Path): unknown {
  if (!walk.written.has(keyOf(path))) walk.written.set(keyOf(path), { value: spanOfNode(node) })
  if (node === null) return null
  if (path.length > MAX_DEPTH) return refused(walk, node, { text: 'values are nested more than 32 deep' })
  if (isForeignTag(node)) return refused(walk, node, { text: 'this tag is not supported', fix: TAG_FIX })
  if (isAlias(node)) return refused(walk, node, { text: 'aliases are not supported', fix: 'write the value out again' })
  if (isMap<Node, Node | null>(node)) return plainMapping(walk, node.items, path)
  if (isSeq<Node>(node)) return node.items.map((item, index) => plainValue(walk, item, [...path, index]))
  return isScalar(node) ? plainScalar(walk, node, node.value) : undefined
}

function plainMapping(walk: Walk, pairs: readonly Pair<Node, Node | null>[], path: Path): unknown {
  const firsts = new Map<string, Span>()
  const entries = pairs.map(({ key, value }): [string, unknown] => {
    const name = isScalar(key) ? String(key.value) : ''
    const keySpan = spanOfNode(key)
    const first = firsts.get(name)
    if (first !== undefined) walk.findings.push(duplicate(walk.text, { name, span: keySpan, first }))
    else firsts.set(name, keySpan)
    const inner = [...path, name]
    const valueSpan = value === null || isEmpty(value) ? keySpan : spanOfNode(value)
    walk.written.set(keyOf(inner), { key: keySpan, value: valueSpan })
    return [name, plainValue(walk, value, inner)]
  })
  return Object.fromEntries(entries)
}

function duplicate(text: string, { name, span, first }: { name: string; span: Span; first: Span }): FileFinding {
  return {
    code: 'config.duplicate-field',
    text: `"${name}" is written twice`,
    span,
    hint: `first in line ${placeAt(text, first[0]).line}`,
    fix: 'keep one of the two',
  }
}

const isEmpty = (node: Node): boolean => isScalar(node) && node.value === null && node.range?.[0] === node.range?.[1]

function plainScalar(walk: Walk, node: Node, value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return value
  return refused(walk, node, { text: 'this tag is not supported', fix: TAG_FIX })
}

const TAG_FIX = 'write plain text, a number, true or false'
const CORE_TAG = /^tag:yaml\.org,2002:(map|seq|str|int|float|bool|null)$/

/** The parser leaves a tag that it does not know out. */
const isForeignTag = ({ tag }: Node): boolean => tag !== undefined && !CORE_TAG.test(tag)

function refused(walk: Walk, node: Node, said: { readonly text: string; readonly fix?: string }): undefined {
  walk.findings.push({ code: 'config.yaml', span: spanOfNode(node), ...said })
  return undefined
}
