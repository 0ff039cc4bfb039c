import type { BalancerState } from './balancer-state.ts'
import { type Answer, COMMANDS, type Command } from './commands.ts'

/**
 * The runtime API's answer to one line of commands (management.txt 9.3): commands are separated by `;`, each answer ends with
 * an empty line, and an empty answer is that line alone.
 */
export function runtimeAnswer(state: BalancerState, line: string): string {
  return line
    .split(';')
    .flatMap((command) => [...piecesOf(answerTo(state, command.trim())), '\n'])
    .join('')
}

const piecesOf = (answer: Answer): readonly string[] => (typeof answer === 'string' ? [answer] : answer)

function answerTo(state: BalancerState, text: string): Answer {
  const words = text.split(/\s+/)
  const command = COMMANDS.find(({ name }) => name.every((word, at) => words[at] === word))
  return command === undefined ? unknown(text) : command.run(state, words.slice(command.name.length))
}

/** HAProxy lists all its commands, or those that are near; this one has few. */
const HELP = COMMANDS.map(({ name, usage = '' }: Command) => `  ${[...name, usage].join(' ').trimEnd()}\n`).join('')

const unknown = (text: string): string =>
  text === ''
    ? `Unknown command. Please enter one of the following commands only:\n${HELP}`
    : `Unknown command, but maybe one of the following ones is a better match:\n${HELP}`
