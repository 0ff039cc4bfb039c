import type { MarkedLines } from '../../ground/machine/marked-lines.ts'
import type { ProcessEnd } from '../../ground/machine/run-process.ts'
import { isUnconnected, lastWords, sshFailure } from '../../ground/machine/ssh-failure.ts'
import { isBootId } from '../../ground/model/boot-id.ts'
import type { RebootAnswer } from '../../ground/model/host.ts'

/**
 * What became of a reboot, by the machine's lines from before the connection ended. The machine says `sent` before it runs the
 * command, so a connection that breaks after that is how a reboot looks.
 */
export function rebootAnswer(node: string, lines: MarkedLines, end: ProcessEnd): RebootAnswer {
  if (lines.has('sent')) return afterSent(lines.said('ended'), end)
  const bootId = lines.said('boot')
  if (lines.has('other')) {
    if (bootId !== undefined && isBootId(bootId)) return { kind: 'otherBoot', bootId }
    return { kind: 'refused', text: `${node} reported no boot id` }
  }
  const refusal = lines.said('refused')
  if (refusal !== undefined) return { kind: 'refused', text: refusal }
  const { message: text, retry } = sshFailure(node, end)
  if (isUnconnected(end)) return { kind: 'unsent', text }
  // The login was refused, the host was not known, or ssh did not start: no connection could have carried the command.
  return { kind: retry === 'never' ? 'refused' : 'unknown', text }
}

function afterSent(exitCode: string | undefined, end: ProcessEnd): RebootAnswer {
  // No exit code, or death by a signal: the machine went down while the command ran.
  if (exitCode === undefined || exitCode === '0' || Number(exitCode) >= 128) return { kind: 'sent' }
  return { kind: 'unknown', text: `the reboot command ended with exit code ${exitCode}: ${lastWords(end)}` }
}
