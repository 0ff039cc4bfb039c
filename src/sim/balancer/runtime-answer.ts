import type { BalancerState } from './balancer-state.ts'
import { findServer } from './find-server.ts'
import type { Server } from './server.ts'
import { setServer } from './set-server.ts'
import { showInfo } from './show-info.ts'
import { showServersState } from './show-servers-state.ts'
import { showServerStat, showStat } from './show-stat.ts'

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

/** Tables come in pieces: they are long, and are put together once. */
type Answer = string | readonly string[]

const piecesOf = (answer: Answer): readonly string[] => (typeof answer === 'string' ? [answer] : answer)

function answerTo(state: BalancerState, text: string): Answer {
  const words = text.split(/\s+/)
  const command = words.join(' ')
  const [first, second, third = '', ...rest] = words
  if (first === 'show') return show(state, command) ?? unknown(command)
  if (first === 'set' && second === 'server') {
    return onServer(state, third, (server) => setServer(server, rest[0] ?? '', rest[1] ?? ''))
  }
  if (first === 'shutdown' && second === 'sessions' && third === 'server') {
    return onServer(state, rest[0] ?? '', cutSessions)
  }
  return unknown(command)
}

/** No table is modelled, so that a question for one by name is a wrong name. */
function show(state: BalancerState, command: string): Answer | undefined {
  switch (command) {
    case 'show info':
      return showInfo(state)
    case 'show servers state':
      return showServersState(state)
    case 'show stat -1 4 -1':
      return showStat(state)
    case 'show cli level':
      return 'admin\n'
    case 'show table':
      return ''
    default:
      if (SHOW_ONE.test(command)) return showServerStat(state, command)
      return command.startsWith('show table ') ? 'No such table\n' : undefined
  }
}

/** Of one proxy and server, by their ids. */
const SHOW_ONE = /^show stat \d+ 4 \d+$/

function onServer(state: BalancerState, path: string, act: (server: Server) => string): string {
  const found = findServer(state, path)
  return typeof found === 'string' ? found : act(found)
}

function cutSessions(server: Server): string {
  for (const session of [...server.sessions]) session.cut()
  return ''
}

/** HAProxy lists all its commands, or those that are near; this one has few. */
const HELP = `  set server <bk>/<srv> [opts]            : change a server's state or health
  show cli level                          : display the level of the current CLI session
  show info                               : report information about the running process
  show servers state                      : dump volatile server information
  show stat -1 4 -1                       : report counters for each server
  show stat <proxy id> 4 <server id>      : report counters for one server
  show table                              : report table usage stats
  shutdown sessions server <bk>/<srv>     : kill sessions on a server
`

const unknown = (command: string): string =>
  command === ''
    ? `Unknown command. Please enter one of the following commands only:\n${HELP}`
    : `Unknown command, but maybe one of the following ones is a better match:\n${HELP}`
