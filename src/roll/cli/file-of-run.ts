import type { CliContext } from '../../cli/cli-context.ts'
import { evenkeel } from '../../ground/model/sentence.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { NO_PROBE } from '../decide/plan/no-probe-finding.ts'
import { readRollFile } from '../file/read-roll-file.ts'
import type { FileOfRun } from '../run/resume-run.ts'
import type { ResumeFlags } from './roll-options.ts'

/** The roll file of a resume or an abort, if it names one; it is refused for the same reasons as for a roll. */
export async function fileOfRun(
  name: 'resume' | 'abort',
  { file, probe = true }: ResumeFlags,
  context: CliContext,
): Promise<FileOfRun | undefined> {
  if (file === undefined) {
    if (probe) return undefined
    throw new UserError('--no-probe changes what a roll file does, and no roll file is given', {
      code: 'usage.no-probe',
      fix: evenkeel`roll resume -f roll.yaml --no-probe`,
    })
  }
  const shown = file === '-' ? 'stdin' : file
  const { spec, refusal } = readRollFile({ file: shown, text: await context.readText(file) })
  if (name === 'resume' && probe && spec.probe === undefined) throw unmeasured()
  const { probe: _, ...without } = spec
  return { name: shown, spec: probe ? spec : without, refusal }
}

export const unmeasured = (): UserError => new UserError(NO_PROBE.text, { code: 'usage.no-probe', fix: NO_PROBE.fix })
