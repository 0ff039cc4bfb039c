import type { JsonSchema } from './roll-file-json-schema.ts'
import { writtenValue } from './shown-value.ts'

interface Section {
  readonly path: string
  readonly schema: JsonSchema
}

/** The reference of roll.yaml as Markdown: one table per section, in the order of the file. */
export function rollFileReference(root: JsonSchema, example: string): string {
  const sections = sectionsOf({ path: '', schema: root })
  return `${[HEAD, '```yaml', example.trimEnd(), '```', '', ...sections.flatMap(sectionLines)].join('\n').trimEnd()}\n`
}

const HEAD = `# roll.yaml

The file that \`evenkeel roll -f roll.yaml\` reads. Every field, its type, its default and what it means. This page and
\`roll.schema.json\` are made from the schema in \`src/roll/file/schema\` by \`npm run docs\`.

- A duration is a number with its unit: \`500ms\`, \`30s\`, \`10min\`, \`1h30m\`. Without a unit it is refused.
- A selector is text as \`kubectl -l\` accepts it (\`app=web,tier in (a,b),!legacy\`) or a mapping with \`matchLabels\` and
  \`matchExpressions\`. An empty selector is refused.
- Unknown fields, fields written twice and aliases are refused. All errors of a file are shown together.
- Editors check the file where its first line is \`# yaml-language-server: $schema=roll.schema.json\`.
`

function sectionsOf({ path, schema }: Section): readonly Section[] {
  const inner = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const fieldPath = path === '' ? name : `${path}.${name}`
    if (field.items?.properties !== undefined) return sectionsOf({ path: `${fieldPath}[]`, schema: field.items })
    return field.properties === undefined ? [] : sectionsOf({ path: fieldPath, schema: field })
  })
  return [{ path, schema }, ...inner]
}

function sectionLines({ path, schema }: Section): readonly string[] {
  const required = new Set(schema.required ?? [])
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) => [
    `\`${name}\``,
    typeOf(field),
    required.has(name) ? 'required' : presetOf(field),
    (field.description ?? '').replaceAll('|', '\\|'),
  ])
  const heading = `## ${path === '' ? 'The file' : path}`
  return [heading, '', schema.description ?? '', '', ...table([['field', 'type', 'default', 'meaning'], ...rows]), '']
}

/** Columns padded, as the formatter writes them. */
function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  const rule = widths.map((width) => '-'.repeat(width))
  return [rows[0] ?? [], rule, ...rows.slice(1)].map(line)
}

function typeOf(field: JsonSchema): string {
  const own = field.items === undefined ? (field.title ?? field.type ?? '') : `list of ${field.items.title ?? 'text'}s`
  const range = field.minimum === undefined ? '' : `, ${field.minimum} to ${field.maximum}`
  return `${own}${range}`
}

function presetOf({ default: preset, title }: JsonSchema): string {
  if (title === 'section') return ''
  return preset === undefined ? '-' : `\`${writtenValue(preset)}\``
}
