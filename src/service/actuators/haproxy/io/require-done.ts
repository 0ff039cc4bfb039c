import { escapeForeign } from '../../../../ground/model/foreign-text.ts'
import { WorldError } from '../../../../ground/model/world-error.ts'
import type { ServerRef } from '../../../model/balancer.ts'
import { badReply } from './socket-error.ts'

/** A command that changes something answers nothing when it succeeds. There is no exit status, so any text is a refusal. */
export function requireDone(answers: readonly string[], ref: ServerRef): void {
  for (const answer of answers) {
    const refusal = refusalOf(answer.trim(), ref)
    if (refusal !== undefined) throw refusal
  }
}

function refusalOf(text: string, ref: ServerRef): WorldError | undefined {
  if (text === '') return undefined
  if (text === 'No such backend.') return gone('BALANCER_NO_BACKEND', `there is no backend ${ref.backend}`)
  if (text === 'Proxy is disabled.') return gone('BALANCER_NO_BACKEND', `backend ${ref.backend} is disabled`)
  if (text === 'No such server.') return gone('BALANCER_NO_SERVER', `${ref.backend} has no server ${ref.server}`)
  return badReply(`a command was refused: "${escapeForeign(text, 200)}"`)
}

const gone = (code: string, text: string): WorldError => new WorldError(text, { code, retry: 'never' })
