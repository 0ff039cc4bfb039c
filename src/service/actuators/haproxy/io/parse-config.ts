import { isIP } from 'node:net'
import type {
  ConfigBackend,
  ConfigFrontend,
  ConfigServer,
  ConfigSocket,
  HaproxyConfig,
} from '../../../model/haproxy-config.ts'
import { unseenOption } from './unseen-options.ts'

type Mode = ConfigBackend['mode']

interface Proxy {
  readonly name: string
  readonly kind: 'frontend' | 'backend' | 'listen'
  mode: Mode
  disabled: boolean
  checked: boolean
  readonly servers: ConfigServer[]
  readonly binds: ConfigFrontend['binds'][number][]
  readonly backends: string[]
}

interface Reading {
  section: string
  defaults: { mode: Mode; checked: boolean }
  readonly proxies: Proxy[]
  readonly sockets: ConfigSocket[]
  readonly doubts: HaproxyConfig['doubts'][number][]
}

/**
 * What a roll needs of a haproxy.cfg (configuration.txt 2.2 has its quotes): backends with their servers, frontends, and the
 * runtime sockets. A line is reported as a doubt where it is not understood and may change the answer, and where a roll cannot see what it
 * does.
 */
export function parseConfig(file: string, text: string): HaproxyConfig {
  const reading: Reading = {
    section: '',
    defaults: { mode: 'tcp', checked: false },
    proxies: [],
    sockets: [],
    doubts: [],
  }
  for (const [at, line] of text.split('\n').entries()) {
    const words = wordsOf(line)
    if (words.length === 0) continue
    const whys = [readLine(reading, words, at + 1), isOfProxy(reading) ? unseenOption(words) : undefined]
    for (const why of whys)
      if (why !== undefined) reading.doubts.push({ line: at + 1, text: line.trim().slice(0, 120), why })
  }
  return {
    file,
    backends: reading.proxies.filter(({ kind }) => kind !== 'frontend').map(backendOf),
    frontends: reading.proxies.filter(({ kind }) => kind !== 'backend').map(frontendOf),
    sockets: reading.sockets,
    doubts: reading.doubts,
  }
}

const backendOf = ({ name, mode, disabled, servers }: Proxy): ConfigBackend => ({ name, mode, disabled, servers })

const frontendOf = ({ name, kind, mode, binds, backends }: Proxy): ConfigFrontend => ({
  name,
  mode,
  binds,
  backends: kind === 'listen' ? [name, ...backends] : backends,
})

const isOfProxy = ({ section }: Reading): boolean => section === 'proxy' || section === 'defaults'

const SECTIONS = new Set(['frontend', 'backend', 'listen'])
const OTHER_SECTIONS =
  /^(userlist|resolvers|peers|mailers|program|http-errors|ring|cache|log-forward|log-profile|fcgi-app|crt-store|traces|acme)$/

/** Why the line is not understood, if it may change the answer. */
function readLine(reading: Reading, words: readonly string[], line: number): string | undefined {
  const [first = '', second = ''] = words
  if (first.startsWith('.')) return 'conditions are not evaluated: the lines between are taken as they are'
  if (first === 'global' || first === 'defaults') {
    reading.section = first
    if (first === 'defaults') reading.defaults = { mode: 'tcp', checked: false }
    return undefined
  }
  if (OTHER_SECTIONS.test(first)) {
    reading.section = 'other'
    return undefined
  }
  if (SECTIONS.has(first)) {
    reading.section = 'proxy'
    reading.proxies.push(newProxy(reading, first as Proxy['kind'], second))
    return undefined
  }
  if (reading.section === 'global')
    return first === 'stats' && second === 'socket' ? readSocket(reading, words, line) : undefined
  if (reading.section === 'defaults') return readDefault(reading, words)
  const proxy = reading.proxies.at(-1)
  return reading.section === 'proxy' && proxy !== undefined ? readProxy(proxy, words) : undefined
}

const newProxy = ({ defaults }: Reading, kind: Proxy['kind'], name: string): Proxy => ({
  ...{ name, kind, ...defaults, disabled: false },
  ...{ servers: [], binds: [], backends: [] },
})

function readDefault(reading: Reading, [first, ...rest]: readonly string[]): undefined {
  if (first === 'mode') reading.defaults.mode = modeOf(rest[0])
  if (first === 'default-server') reading.defaults.checked = isChecked(rest, reading.defaults.checked)
  return undefined
}

const modeOf = (word = ''): Mode => (word === 'http' || word === 'tcp' ? word : 'other')

function isChecked(options: readonly string[], preset: boolean): boolean {
  const last = options.findLast((word) => word === 'check' || word === 'no-check')
  return last === undefined ? preset : last === 'check'
}

function readProxy(proxy: Proxy, words: readonly string[]): string | undefined {
  const [first = '', second = '', third = ''] = words
  switch (first) {
    case 'mode':
      proxy.mode = modeOf(second)
      return undefined
    case 'disabled':
      proxy.disabled = true
      return undefined
    case 'default-server':
      proxy.checked = isChecked(words, proxy.checked)
      return undefined
    case 'default_backend':
    case 'use_backend':
      if (second.includes('%[')) return 'the backend is chosen for each request'
      proxy.backends.push(second)
      return undefined
    case 'bind':
      proxy.binds.push(...bindsOf(second, words.includes('ssl')))
      return undefined
    case 'server-template':
      return 'the addresses of its servers are found at run time; the runtime API tells them'
    case 'server':
      return readServer(proxy, { name: second, at: third, options: words.slice(3) })
    default:
      return undefined
  }
}

interface WrittenServer {
  readonly name: string
  readonly at: string
  readonly options: readonly string[]
}

function readServer(proxy: Proxy, { name, at, options }: WrittenServer): string | undefined {
  const checked = isChecked(options, proxy.checked)
  const { address, port } = endpointOf(at)
  proxy.servers.push({ name, address: isIP(address) === 0 ? '' : address, port, checked })
  if (/\$/.test(at)) return 'the address has a variable of the environment; the runtime API tells it'
  if (isIP(address) !== 0) return undefined
  return /^(unix|abns)@|^\//.test(at)
    ? undefined
    : 'the address is a name that is resolved at run time; the runtime API tells it'
}

/** `10.0.0.1:80`, `[::1]:80`, `::1:80`, `ipv4@10.0.0.1:80`: the port is behind the last colon. */
function endpointOf(text: string): { readonly address: string; readonly port: number } {
  const bare = text.replace(/^(ipv4|ipv6|tcp|tcp4|tcp6|quic4|quic6)@/, '')
  if (isIP(bare) === 4) return { address: bare, port: 0 }
  const colon = bare.lastIndexOf(':')
  const address = (colon === -1 ? bare : bare.slice(0, colon)).replace(/^\[(.*)\]$/, '$1')
  const port = colon === -1 ? 0 : Number.parseInt(bare.slice(colon + 1), 10)
  return { address, port: Number.isNaN(port) ? 0 : port }
}

const bindsOf = (text: string, tls: boolean): Proxy['binds'] =>
  text
    .split(',')
    .filter((one) => !/^(unix|abns|fd|sockpair)@|^\//.test(one))
    .map((one) => ({ ...endpointOf(one), tls }))
    .filter(({ port }) => port > 0)

function readSocket({ sockets }: Reading, words: readonly string[], line: number): string | undefined {
  const [, , at = '', ...options] = words
  if (/\$/.test(at)) return 'the path has a variable of the environment'
  const level = options[options.indexOf('level') + 1]
  const right = options.includes('level') && (level === 'admin' || level === 'user') ? level : 'operator'
  const path = at.replace(/^unix@/, '')
  if (path.startsWith('/')) {
    sockets.push({ line, address: { kind: 'unix', path }, level: right })
    return undefined
  }
  const { address: host, port } = endpointOf(at)
  if (port === 0) return 'the socket is neither an absolute path nor an address with a port'
  sockets.push({ line, address: { kind: 'tcp', host: ANY.test(host) ? '127.0.0.1' : host, port }, level: right })
  return undefined
}

const ANY = /^(|\*|0\.0\.0\.0|::)$/

const WORD = /(?:[^\s"'\\#]|\\.|"(?:[^"\\]|\\.)*"?|'[^']*'?)+|#.*/g

const PIECE = /"((?:[^"\\]|\\.)*)"?|'([^']*)'?|\\(.)|([^"'\\]+)/g

/** Splits a line as HAProxy does; what follows `#` is a comment. */
const wordsOf = (line: string): readonly string[] =>
  (line.match(WORD) ?? [])
    .filter((word) => !word.startsWith('#'))
    .map((word) => [...word.matchAll(PIECE)].map(textOf).join(''))

const textOf = ([, double, single, escaped, plain]: RegExpExecArray): string =>
  double ?? single ?? escaped ?? plain ?? ''
