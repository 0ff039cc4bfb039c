import type { MarkedLines } from '../../ground/machine/marked-lines.ts'
import type { ProcessEnd } from '../../ground/machine/run-process.ts'
import { ending, lastWords } from '../../ground/machine/ssh-failure.ts'
import type { NeedAnswer, NeedQuestion } from '../../ground/model/reboot-need.ts'

const LIST_MAX = 2_048

/** Whether a machine needs a reboot, by its lines from before the connection ended. Without a line there is no answer. */
export function needAnswer({ sentinel, command }: NeedQuestion, lines: MarkedLines, end: ProcessEnd): NeedAnswer {
  return {
    ...(sentinel === undefined ? {} : { sentinel: sentinelAnswer(lines, end) }),
    ...(command === undefined ? {} : { command: commandAnswer(lines, end) }),
  }
}

function sentinelAnswer(lines: MarkedLines, end: ProcessEnd): NonNullable<NeedAnswer['sentinel']> {
  const said = lines.said('sentinel')
  if (said === 'absent') return { kind: 'absent' }
  if (said === 'there') return { kind: 'there', packages: packagesOf(lines), isCut: lines.has('cut') }
  const [, directory] = /^unseen (.+)$/.exec(said ?? '') ?? []
  return {
    kind: 'unknown',
    text: directory === undefined ? unheard(end) : `this account is not allowed to look into ${directory}`,
  }
}

/** Each update lists packages again. If a list was cut, its last name was cut as well. */
function packagesOf(lines: MarkedLines): readonly string[] {
  const names = (lines.said('packages', LIST_MAX) ?? '').split(' ').filter((name) => name !== '')
  return [...new Set(lines.has('cut') ? names.slice(0, -1) : names)]
}

function commandAnswer(lines: MarkedLines, end: ProcessEnd): NonNullable<NeedAnswer['command']> {
  const refusal = lines.said('unrun')
  if (refusal !== undefined) return { kind: 'unknown', text: refusal }
  const code = lines.said('ran') ?? ''
  if (!/^\d{1,3}$/.test(code)) return { kind: 'unknown', text: unheard(end) }
  return { kind: 'ended', exitCode: Number(code), errors: end.errorTail.trim() === '' ? '' : lastWords(end) }
}

const unheard = (end: ProcessEnd): string =>
  end.cause === 'limit' ? 'it did not answer in time' : `it gave no usable answer (${ending(end)}): ${lastWords(end)}`
