import type { FileFinding } from '../model/file-finding.ts'
import type { RollSpec } from '../model/roll-spec.ts'
import { findingsError } from './findings-error.ts'
import type { NodeSelection } from './node-selection.ts'
import { type RollFileRead, readRollFile } from './read-roll-file.ts'
import { rollSpecFromFile } from './roll-spec-from-file.ts'
import { rollFileSchema } from './schema/roll-file-schema.ts'
import type { SourceText } from './source-text.ts'

/**
 * A roll.yaml in the form of the engine. `selection`, from the command line, replaces the file's `spec.nodes`. For any text it
 * throws only one UserError, with every finding, each with its line, caret and fix.
 */
export function loadRollFile(source: SourceText, selection?: NodeSelection): RollSpec {
  const read = readRollFile(source)
  const { spec } = read
  if (selection !== undefined) return withSelection(spec, selection)
  if (choosesNothing(spec.nodes)) throw findingsError(source, [noNodes(read)])
  return spec
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

const noNodes = (read: RollFileRead): FileFinding => ({
  code: 'config.no-nodes',
  text: 'the file chooses no nodes',
  span: read.nameSpan(['spec', 'nodes']),
  hint: 'spec.nodes has: names, selector, all',
  fix: 'choose them here, or on the command line: evenkeel roll NODE..., -l SELECTOR or --all',
})
