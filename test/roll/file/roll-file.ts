import { UserError } from '../../../src/ground/model/user-error.ts'
import { loadRollFile } from '../../../src/roll/file/load-roll-file.ts'
import type { NodeSelection } from '../../../src/roll/file/node-selection.ts'
import type { RollSpec } from '../../../src/roll/model/roll-spec.ts'

/** A file around the lines of `spec`, which begin with two spaces; `spec` starts on line 5. */
export const rollYaml = (...spec: string[]): string =>
  ['apiVersion: evenkeel.dev/v1alpha1', 'kind: Roll', 'metadata: {name: prod}', 'spec:', ...spec, ''].join('\n')

export const load = (text: string, selection?: NodeSelection): RollSpec =>
  loadRollFile({ file: 'roll.yaml', text }, selection)

/** What a person sees of a file that is refused. */
export function refusal(text: string): string {
  try {
    load(text)
  } catch (error) {
    if (error instanceof UserError) return [...error.details, error.message].join('\n')
    throw error
  }
  return 'accepted'
}

/** The one finding of a file with one fault. */
export function onlyFinding(text: string): string {
  const lines = refusal(text).split('\n')
  return lines.at(-1) === '1 error in roll.yaml. Nothing was contacted or changed.'
    ? lines.slice(0, -1).join('\n')
    : lines.join('\n')
}
