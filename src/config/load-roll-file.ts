import type { RollSpec } from '../model/roll-spec.ts'
import { UserError } from '../model/user-error.ts'
import type { Finding } from './finding.ts'
import { findingsError } from './findings-error.ts'
import { issueFindings } from './issue-findings.ts'
import type { NodeSelection } from './node-selection.ts'
import { rollFileJsonSchema } from './roll-file-json-schema.ts'
import { rollSpecFromFile } from './roll-spec-from-file.ts'
import { rollFileSchema } from './schema/roll-file-schema.ts'
import type { SourceText } from './source-text.ts'
import { parseYamlTree, type YamlTree } from './yaml-tree.ts'

const LENGTH_MAX = 256 * 1024

/**
 * A roll.yaml as the engine takes it. `selection`, from the command line, takes the place of the file's `spec.nodes`.
 * Throws one UserError with every finding, each with its line, caret and fix; for no text anything else.
 */
export function loadRollFile(source: SourceText, selection?: NodeSelection): RollSpec {
  if (source.text.length > LENGTH_MAX) {
    const fix = 'give a file of at most 256 KiB'
    throw new UserError(`${source.file} is too large to be a roll file`, { code: 'config.too-large', fix })
  }
  const tree = parseYamlTree(source.text)
  if (tree.broken) throw findingsError(source, tree.findings)
  const read = rollFileSchema.safeParse(tree.value)
  const found = [...tree.findings, ...(read.error === undefined ? [] : shapeFindings(tree, read.error.issues))]
  if (read.data === undefined || found.length > 0) throw findingsError(source, found)
  const spec = rollSpecFromFile(read.data)
  if (selection !== undefined) return withSelection(spec, selection)
  if (choosesNothing(spec.nodes)) throw findingsError(source, [noNodes(tree)])
  return spec
}

type Issues = Parameters<typeof issueFindings>[1][]

function shapeFindings(tree: YamlTree, issues: Issues): readonly Finding[] {
  const site = { tree, schema: rollFileJsonSchema() }
  return issues.flatMap((issue) => issueFindings(site, issue))
}

/** A roll without a file: the nodes of the command line, defaults for the rest, no balancer and no probe. */
export function rollSpecFromSelection(selection: NodeSelection): RollSpec {
  const bare = { apiVersion: 'evenkeel.dev/v1alpha1', kind: 'Roll', metadata: { name: 'roll' }, spec: {} }
  return withSelection(rollSpecFromFile(rollFileSchema.parse(bare)), selection)
}

const withSelection = (spec: RollSpec, selection: NodeSelection): RollSpec => ({
  ...spec,
  nodes: { ...selection, allowUnbalanced: spec.nodes.allowUnbalanced },
})

const choosesNothing = ({ names, selector, all }: RollSpec['nodes']): boolean =>
  names.length === 0 && selector === undefined && !all

const noNodes = (tree: YamlTree): Finding => ({
  code: 'config.no-nodes',
  text: 'the file chooses no nodes',
  span: tree.keySpan(['spec', 'nodes']),
  hint: 'spec.nodes has: names, selector, all',
  fix: 'choose them here, or on the command line: evenkeel roll NODE..., -l SELECTOR or --all',
})
