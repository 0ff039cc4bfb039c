import { escapeForeign } from '../../ground/model/foreign-text.ts'
import type { Answer } from '../../service/model/answer.ts'

const ANSWERS: readonly Answer[] = ['up', 'drain', 'down']

/** `drain until the disk is changed`: the answer, then why. Undefined for any other text, which overrides nothing. */
export function parseOverride(text: string): { readonly answer: Answer; readonly why: string } | undefined {
  const [line = ''] = text.trimStart().split('\n', 1)
  const [word = '', ...rest] = line.trim().split(/\s+/)
  const answer = ANSWERS.find((known) => known === word)
  return answer === undefined ? undefined : { answer, why: escapeForeign(rest.join(' '), 200) || 'no reason is given' }
}
