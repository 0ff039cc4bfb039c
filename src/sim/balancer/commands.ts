import type { BalancerState } from './balancer-state.ts'
import { findServer } from './find-server.ts'
import type { Server } from './server.ts'
import { enableAgent, enableHealth, setMaxConnections, setServer, setWeight } from './set-server.ts'
import { showInfo } from './show-info.ts'
import { showServersConn } from './show-servers-conn.ts'
import { showServersState } from './show-servers-state.ts'
import { showStat } from './show-stat.ts'

/** Tables come in pieces: they are long, and are put together once. */
export type Answer = string | readonly string[]

export interface Command {
  readonly name: readonly string[]
  readonly usage?: string
  run(state: BalancerState, words: readonly string[]): Answer
}

type OfServer = (server: Server, words: readonly string[]) => string

/** A command whose first word names a server. */
const ofServer = (name: string, act: OfServer, usage = ''): Command => ({
  name: name.split(' '),
  usage: `<backend>/<server> ${usage}`,
  run: (state, [path = '', ...words]) => {
    const found = findServer(state, path)
    return typeof found === 'string' ? found : act(found, words)
  },
})

const show = (name: string, run: Command['run'], usage = ''): Command => ({
  ...{ name: ['show', ...name.split(' ')], usage },
  run,
})

/** Nothing is said where it was done. */
const done =
  (act: (server: Server) => void): OfServer =>
  (server) => {
    act(server)
    return ''
  }

/** `enable frontend`, `disable frontend`: it listens, or does not. */
const listen = (word: 'enable' | 'disable'): Command => ({
  name: [word, 'frontend'],
  usage: '<frontend>',
  run: ({ frontends }, [name = '']) => {
    if (name === '') return 'A frontend name is expected.\n'
    const found = frontends.find(({ config }) => config.name === name)
    if (found === undefined) return 'No such frontend.\n'
    const isOpen = word === 'enable'
    if (found.isOpen === isOpen) return `All sockets are already ${word}d.\n`
    found.isOpen = isOpen
    return ''
  },
})

/** What is answered of the runtime API (management.txt 9.3). */
export const COMMANDS: readonly Command[] = [
  ofServer('set server', (server, [what = '', to = '']) => setServer(server, what, to), '<what> <to>'),
  ofServer('set weight', (server, [weight = '']) => setWeight(server, weight), '<weight>'),
  ofServer('get weight', ({ weight }) => `${weight.set} (initial ${weight.initial})\n`),
  ofServer('set maxconn server', (server, [count = '']) => setMaxConnections(server, count), '<maxconn>'),
  ofServer(
    'disable server',
    done((server) => server.setAdmin('maint')),
  ),
  ofServer(
    'enable server',
    done((server) => server.setAdmin('ready')),
  ),
  ofServer(
    'disable health',
    done(({ check }) => check?.enable(false)),
  ),
  ofServer('enable health', enableHealth),
  ofServer(
    'disable agent',
    done(({ agent }) => agent?.enable(false)),
  ),
  ofServer('enable agent', enableAgent),
  ofServer(
    'shutdown sessions server',
    done(({ load }) => load.cut()),
  ),
  listen('enable'),
  listen('disable'),
  show('info', showInfo),
  show('cli level', () => 'admin\n'),
  show('backend', ({ backends }) => ['# name\n', ...backends.map(({ name }) => `${name}\n`)]),
  show('servers state', showServersState, '[<backend>]'),
  show('servers conn', showServersConn, '[<backend>]'),
  show('stat', showStat, '[<proxy> 4 <server id>]'),
  // No table is modelled, so that a question for one by name is a wrong name.
  show('table', (_, [name]) => (name === undefined ? '' : 'No such table\n'), '[<table>]'),
]
