import { Document, type Node, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import { escapeForeign } from '../../../ground/model/foreign-text.ts'
import type { Manifest } from '../../decide/init/rights-manifests.ts'
import type { Field, FieldValue, ListItem, Section } from '../../decide/init/roll-file-outline.ts'

/** kubectl reads YAML 1.1, where a field `on` is the word true unless it has quotes. */
const READ_BY_ALL = { compat: 'yaml-1.1' } as const
const STYLE = { lineWidth: 0, flowCollectionPadding: false } as const
const COMMENT_CELLS = 100
const COMMENT_MAX = 4_000

/** A roll file as text, with a comment above each value that has one. A value that is off is a comment itself. */
export function rollFileYaml(head: readonly string[], file: Section): string {
  const document = new Document(sectionNode(file, 0), READ_BY_ALL)
  document.commentBefore = head.flatMap(commentLines).join('\n')
  return document.toString(STYLE)
}

/** Objects to apply, as one stream. */
export function manifestsYaml(head: readonly string[], manifests: readonly Manifest[]): string {
  const texts = manifests.map(({ comment, object }) => {
    const document = new Document(object, READ_BY_ALL)
    if (comment !== '') document.commentBefore = commentLines(comment).join('\n')
    return document.toString(STYLE)
  })
  return `${head.map((line) => `# ${line}\n`).join('')}${texts.join('---\n')}`
}

const sectionNode = ({ fields }: Section, depth: number): YAMLMap => {
  const map = new YAMLMap()
  const gap = depth === 1 ? [''] : []
  const trailing = withComments({ all: fields, gap }, (field, before) => {
    const key = new Scalar(field.key)
    if (before !== '') key.commentBefore = before
    key.spaceBefore = depth === 1 && map.items.length > 0
    map.items.push(new Pair<unknown, unknown>(key, nodeOf(field.value, depth + 1)))
  })
  if (trailing !== '') map.comment = [...gap, trailing].join('\n')
  return map
}

const listNode = (items: readonly ListItem[], depth: number): YAMLSeq => {
  const list = new YAMLSeq()
  const trailing = withComments({ all: items, gap: [] }, (item, before) => {
    const node = nodeOf(item.value, depth + 1)
    if (before !== '') node.commentBefore = before
    list.items.push(node)
  })
  if (trailing !== '') list.comment = trailing
  return list
}

interface Commented<T> {
  readonly all: readonly T[]
  /** The lines between two comments of different values. */
  readonly gap: readonly string[]
}

/** Comments of values that are off wait for the next value that is on; those after the last one are returned. */
function withComments<T extends Field | ListItem>(
  { all, gap }: Commented<T>,
  add: (one: T, before: string) => void,
): string {
  let waiting: readonly string[] = []
  for (const one of all) {
    const comment = one.comment === undefined ? [] : commentLines(one.comment)
    const before = [...waiting, ...(waiting.length === 0 ? [] : gap), ...comment]
    if (isOff(one)) waiting = [...before, ...offLines(one)]
    else {
      add(one, before.join('\n'))
      waiting = []
    }
  }
  return waiting.join('\n')
}

/** A section with only values that are off is off, too. */
function isOff({ off, value }: ListItem): boolean {
  if (off === true) return true
  const within = partsOf(value)
  return within.length > 0 && within.every(isOff)
}

function partsOf(value: FieldValue): readonly ListItem[] {
  if (typeof value !== 'object') return []
  if ('fields' in value) return value.fields
  return 'items' in value ? value.items : []
}

function offLines(one: Field | ListItem): readonly string[] {
  const node =
    'key' in one
      ? sectionNode({ fields: [{ key: one.key, value: on(one.value) }] }, 2)
      : listNode([{ value: on(one.value) }], 2)
  return new Document(node, READ_BY_ALL)
    .toString(STYLE)
    .trimEnd()
    .split('\n')
    .map((line) => ` ${line}`)
}

function on(value: FieldValue): FieldValue {
  const lit = <T extends ListItem>({ off: _, ...one }: T) => ({ ...one, value: on(one.value) })
  if (typeof value !== 'object') return value
  if ('fields' in value) return { fields: value.fields.map(lit) }
  return 'items' in value ? { items: value.items.map(lit) } : value
}

function nodeOf(value: FieldValue, depth: number): Node {
  if (typeof value !== 'object') return new Scalar(value)
  if ('fields' in value) return sectionNode(value, depth)
  if ('items' in value) return listNode(value.items, depth)
  const flow = new YAMLSeq()
  flow.flow = true
  for (const text of value) flow.items.push(new Scalar(text))
  return flow
}

/** Foreign text in a comment stays on its lines, and cannot end the comment. */
function commentLines(text: string): readonly string[] {
  const lines: string[] = []
  for (const word of escapeForeign(text, COMMENT_MAX).split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length >= COMMENT_CELLS) lines.push(` ${word}`)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}
