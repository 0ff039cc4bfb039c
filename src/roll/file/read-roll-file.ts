import { UserError } from '../../ground/model/user-error.ts'
import type { FileFinding, SpecFinding } from '../model/file-finding.ts'
import type { RollSpec } from '../model/roll-spec.ts'
import { findingsError } from './findings-error.ts'
import { issueFindings } from './issue-findings.ts'
import { rollFileJsonSchema } from './roll-file-json-schema.ts'
import { rollSpecFromFile } from './roll-spec-from-file.ts'
import { rollFileSchema } from './schema/roll-file-schema.ts'
import type { SourceText } from './source-text.ts'
import { type Path, parseYamlTree, type YamlTree } from './yaml-tree.ts'

/** What is no UTF-8 was read as U+FFFD; UTF-16 and binary files have NUL. */
const NO_TEXT = /[\u0000\ufffd]/
const NOT_UTF_8 = {
  code: 'config.no-text',
  text: 'this is no text in UTF-8',
  fix: 'save the file as plain text in UTF-8',
}
const LENGTH_MAX = 256 * 1024

export interface RollFileRead {
  readonly spec: RollSpec
  /** The place of the field's name, or of its nearest parent. */
  nameSpan(path: Path): FileFinding['span']
  /** An error with all that the cluster has against this file, each thing at its line. */
  refusal(findings: readonly SpecFinding[]): UserError
}

/**
 * A roll.yaml as it is written, which may choose no nodes. For any text it throws only one UserError, with every finding, each
 * with its line, caret and fix.
 */
export function readRollFile(source: SourceText): RollFileRead {
  if (source.text.length > LENGTH_MAX) {
    const fix = 'give a file of at most 256 KiB'
    throw new UserError(`${source.file} is too large to be a roll file`, { code: 'config.too-large', fix })
  }
  const strange = source.text.search(NO_TEXT)
  if (strange >= 0) throw findingsError(source, [{ ...NOT_UTF_8, span: [strange, strange + 1] }])
  const tree = parseYamlTree(source.text)
  if (tree.broken) throw findingsError(source, tree.findings)
  const read = rollFileSchema.safeParse(tree.value)
  const found = [...tree.findings, ...(read.error === undefined ? [] : shapeFindings(tree, read.error.issues))]
  if (read.data === undefined || found.length > 0) throw findingsError(source, found)
  return {
    spec: rollSpecFromFile(read.data),
    nameSpan: (path) => tree.keySpan(path),
    refusal: (findings) =>
      findingsError(
        source,
        findings.map((finding) => ({ ...finding, code: 'config.begun', span: spanOf(tree, finding.path) })),
        'Nothing was changed.',
      ),
  }
}

type Issues = Parameters<typeof issueFindings>[1][]

function shapeFindings(tree: YamlTree, issues: Issues): readonly FileFinding[] {
  const site = { tree, schema: rollFileJsonSchema() }
  return issues.flatMap((issue) => issueFindings(site, issue))
}

/** For a list or a section, the place of its name, since its value may fill the page. */
function spanOf(tree: YamlTree, path: Path): FileFinding['span'] {
  const [start, end] = tree.valueSpan(path)
  const name = tree.keySpan(path)
  return tree.isWritten(path) && isOneValue(tree.value, path) ? [start, end] : name
}

function isOneValue(root: unknown, path: Path): boolean {
  let current = root
  for (const step of path) {
    if (typeof current !== 'object' || current === null) return false
    current = (current as Readonly<Record<string | number, unknown>>)[step]
  }
  return typeof current !== 'object'
}
