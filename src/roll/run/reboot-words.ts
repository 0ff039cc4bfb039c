import type { RebootAnswer } from '../../ground/model/host.ts'

interface RebootWords {
  /** The machine got the command, or may have. */
  readonly ok: boolean
  readonly text: string
}

/** What there is to say of a reboot command whose answer is not simply that it was sent. */
export function rebootWords(answer: RebootAnswer | undefined): RebootWords | undefined {
  switch (answer?.kind) {
    case 'unsent':
      return { ok: false, text: `it was not sent: ${answer.text}` }
    case 'refused':
      return { ok: false, text: answer.text }
    case 'otherBoot':
      return { ok: false, text: `nothing was done, since the machine has boot id ${answer.bootId}` }
    case 'unknown':
      return { ok: true, text: `it is not known whether it arrived: ${answer.text}` }
    case 'sent':
    case undefined:
      return undefined
  }
}
