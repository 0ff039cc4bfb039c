import { badReply, notPermitted } from './socket-error.ts'

/**
 * Splits the answers to `count` commands of one line: each ends with an empty line, the last one with the connection
 * (management.txt 9.3). A success without text is the empty line alone. Anything else was cut short or is no HAProxy. A command
 * that is denied voids the line, whatever the other answers are.
 */
export function splitAnswers(reply: string, count: number): readonly string[] {
  if (reply !== '' && !reply.endsWith('\n')) throw badReply('the answer breaks off in the middle of a line')
  const answers: string[] = []
  for (let at = 0; at < reply.length; ) {
    const isEmpty = reply[at] === '\n'
    const end = isEmpty ? at : reply.indexOf('\n\n', at)
    if (end === -1) throw badReply('the answer breaks off before its empty line')
    answers.push(reply.slice(at, end))
    at = end + (isEmpty ? 1 : 2)
  }
  if (answers.length !== count) throw badReply(`${answers.length} answers came to ${count} commands`)
  if (answers.some((answer) => answer.startsWith('Permission denied'))) {
    throw notPermitted('the socket does not allow this')
  }
  return answers
}
