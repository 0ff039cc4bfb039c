import { badReply } from './socket-error.ts'

/**
 * The answers to `count` commands of one line: each ends with an empty line, the last one with the connection
 * (management.txt 9.3). A success without words is the empty line alone. Anything else was cut short or is no HAProxy.
 */
export function splitAnswers(reply: string, count: number): readonly string[] {
  const lines = reply.split('\n')
  if (lines.pop() !== '') throw badReply('the answer breaks off in the middle of a line')
  const answers: string[] = []
  let current: string[] = []
  for (const line of lines) {
    if (line !== '') {
      current.push(line)
      continue
    }
    answers.push(current.join('\n'))
    current = []
  }
  if (current.length > 0) throw badReply('the answer breaks off before its empty line')
  if (answers.length !== count) throw badReply(`${answers.length} answers came to ${count} commands`)
  return answers
}
