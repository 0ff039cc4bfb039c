import type {
  ConfigBackend,
  ConfigFrontend,
  ConfigServer,
  ConfigSocket,
  HaproxyConfig,
} from '../../../model/haproxy-config.ts'
import { addressDoubt, endpointOf, readOptions, readServerLine, type WrittenServer } from './config-server.ts'
import { configWords, hasVariable } from './config-words.ts'
import { unseenOption } from './unseen-options.ts'

type Mode = ConfigBackend['mode']

/** What a section `defaults` gives to those behind it. */
interface Preset {
  mode: Mode
  disabled: boolean
  checked: boolean
  /** Absent: there is none. */
  defaultBackend?: string
}

interface Proxy extends Preset {
  readonly name: string
  readonly kind: 'frontend' | 'backend' | 'listen'
  readonly servers: WrittenServer[]
  readonly binds: ConfigFrontend['binds'][number][]
  readonly backends: string[]
}

interface Reading {
  section: string
  /** That of the last section `defaults`. */
  defaults: Preset
  readonly namedDefaults: Map<string, Preset>
  readonly proxies: Proxy[]
  readonly sockets: ConfigSocket[]
  readonly doubts: HaproxyConfig['doubts'][number][]
}

const NO_DEFAULTS: Preset = { mode: 'tcp', disabled: false, checked: false }

/**
 * What a roll needs of a haproxy.cfg: backends with their servers, frontends, and the runtime sockets. A line is reported as a doubt where
 * it is not understood and may change the answer, and where a roll cannot see what it does.
 */
export function parseConfig(file: string, text: string): HaproxyConfig {
  const reading: Reading = {
    section: '',
    defaults: { ...NO_DEFAULTS },
    namedDefaults: new Map(),
    proxies: [],
    sockets: [],
    doubts: [],
  }
  for (const [at, line] of text.split('\n').entries()) {
    const words = configWords(line)
    if (words.length === 0) continue
    const whys = [
      readLine(reading, { words, line: at + 1, isVariable: hasVariable(line) }),
      isOfProxy(reading) ? unseenOption(words) : undefined,
    ]
    for (const why of whys)
      if (why !== undefined) reading.doubts.push({ line: at + 1, text: line.trim().slice(0, 120), why })
  }
  const checkedOf = checksOf(reading.proxies)
  return {
    file,
    backends: reading.proxies.filter(({ kind }) => kind !== 'frontend').map((proxy) => backendOf(proxy, checkedOf)),
    // Nothing listens for one that is disabled.
    frontends: reading.proxies.filter(({ kind, disabled }) => kind !== 'backend' && !disabled).map(frontendOf),
    sockets: reading.sockets,
    doubts: reading.doubts,
  }
}

type Checked = (backend: string, server: WrittenServer) => boolean

/** Whether a server is checked: itself, or the one that it tracks. */
function checksOf(proxies: readonly Proxy[]): Checked {
  const servers = new Map(
    proxies.flatMap((proxy) => proxy.servers.map((server) => [`${proxy.name}/${server.name}`, server])),
  )
  const checkedOf = (backend: string, { checked, tracked }: WrittenServer, left = servers.size): boolean => {
    if (tracked === '') return checked
    const [name = '', server] = tracked.includes('/') ? tracked.split('/') : [backend, tracked]
    const next = servers.get(`${name}/${server}`)
    return next !== undefined && left > 0 && checkedOf(name, next, left - 1)
  }
  return checkedOf
}

const backendOf = ({ name, mode, disabled, servers }: Proxy, checkedOf: Checked): ConfigBackend => ({
  ...{ name, mode, disabled },
  servers: servers.map((server): ConfigServer => {
    const { tracked: _, ...written } = server
    return { ...written, checked: checkedOf(name, server) }
  }),
})

function frontendOf({ name, kind, mode, binds, backends, defaultBackend }: Proxy): ConfigFrontend {
  const used = defaultBackend === undefined ? backends : [defaultBackend, ...backends]
  return { name, mode, binds, backends: kind === 'listen' ? [name, ...used] : used }
}

const isOfProxy = ({ section }: Reading): boolean => section === 'proxy' || section === 'defaults'

const SECTIONS = new Set(['frontend', 'backend', 'listen'])
const OTHER_SECTIONS =
  /^(userlist|resolvers|peers|mailers|program|http-errors|ring|cache|log-forward|log-profile|fcgi-app|crt-store|traces|acme)$/

interface Line {
  readonly words: readonly string[]
  readonly line: number
  /** It has a variable of the environment. */
  readonly isVariable: boolean
}

/** Why the line is not understood, if it may change the answer. */
function readLine(reading: Reading, line: Line): string | undefined {
  const { words, isVariable } = line
  const [first = '', second = ''] = words
  if (first.startsWith('.')) return 'conditions are not evaluated: the lines between are taken as they are'
  if (OTHER_SECTIONS.test(first) || first === 'global') {
    reading.section = first === 'global' ? first : 'other'
    return undefined
  }
  if (first === 'defaults' || SECTIONS.has(first)) {
    beginProxy(reading, words)
    return isVariable ? 'the name has a variable of the environment' : undefined
  }
  if (reading.section === 'global')
    return first === 'stats' && second === 'socket' ? readSocket(reading, line) : undefined
  const proxy = reading.proxies.at(-1)
  if (reading.section === 'defaults') return readPreset(reading.defaults, line)
  return reading.section === 'proxy' && proxy !== undefined
    ? (readPreset(proxy, line) ?? readProxy(proxy, line))
    : undefined
}

/** `defaults [NAME] [from NAME]`, `backend NAME [from NAME]`. */
function beginProxy(reading: Reading, [kind = '', ...rest]: readonly string[]): void {
  const { namedDefaults, proxies } = reading
  const from = rest.indexOf('from')
  const given = from === -1 ? undefined : (namedDefaults.get(rest[from + 1] ?? '') ?? NO_DEFAULTS)
  const name = from === 0 ? '' : (rest[0] ?? '')
  if (kind === 'defaults') {
    reading.section = 'defaults'
    reading.defaults = { ...(given ?? NO_DEFAULTS) }
    namedDefaults.set(name, reading.defaults)
    return
  }
  reading.section = 'proxy'
  const preset = { ...(given ?? reading.defaults) }
  proxies.push({ name, kind: kind as Proxy['kind'], ...preset, servers: [], binds: [], backends: [] })
}

/** What both `defaults` and a proxy may say. */
function readPreset(preset: Preset, { words: [first, ...rest], isVariable }: Line): string | undefined {
  if (first === 'mode') preset.mode = modeOf(rest[0])
  else if (first === 'disabled' || first === 'enabled') preset.disabled = first === 'disabled'
  else if (first === 'default_backend') preset.defaultBackend = rest[0] ?? ''
  else if (first === 'default-server')
    preset.checked = readOptions(rest, { checked: preset.checked, tracked: '' }).checked
  else return undefined
  return isVariable ? 'the line has a variable of the environment' : undefined
}

const modeOf = (word = ''): Mode => (word === 'http' || word === 'tcp' ? word : 'other')

function readProxy(proxy: Proxy, { words, isVariable }: Line): string | undefined {
  const [first = '', second = ''] = words
  switch (first) {
    case 'use_backend':
      if (second.includes('%[')) return 'the backend is chosen for each request'
      proxy.backends.push(second)
      return isVariable ? 'the line has a variable of the environment' : undefined
    case 'bind':
      proxy.binds.push(...bindsOf(second, words.includes('ssl')))
      return isVariable ? 'the line has a variable of the environment' : undefined
    case 'server-template':
      return 'the addresses of its servers are found at run time; the runtime API tells them'
    case 'server':
      proxy.servers.push(readServerLine(words, proxy.checked))
      if (/\$/.test(words[2] ?? '')) return 'the address has a variable of the environment; the runtime API tells it'
      return isVariable ? 'the line has a variable of the environment; the runtime API tells it' : addressDoubt(words)
    default:
      return undefined
  }
}

const bindsOf = (text: string, tls: boolean): Proxy['binds'] =>
  text
    .split(',')
    .filter((one) => !/^(unix|abns|fd|sockpair)@|^\//.test(one))
    .flatMap((one) => {
      const [, before = one, last] = /^(.*:\d+)-(\d+)$/.exec(one) ?? []
      const { address, port } = endpointOf(before)
      return Array.from({ length: Math.max(1, Number(last ?? port) - port + 1) }, (_, at) => ({
        ...{ address, port: port + at, tls },
      }))
    })
    .filter(({ port }) => port > 0)

function readSocket({ sockets }: Reading, { words, line }: Line): string | undefined {
  const [, , at = '', ...options] = words
  if (/\$/.test(at)) return 'the path has a variable of the environment'
  const level = options[options.lastIndexOf('level') + 1]
  const right = options.includes('level') && (level === 'admin' || level === 'user') ? level : 'operator'
  const path = at.replace(/^unix@/, '')
  if (path.startsWith('/')) {
    sockets.push({ line, address: { kind: 'unix', path }, level: right })
    return undefined
  }
  const { address: host, port } = endpointOf(at)
  if (port <= 0) return 'the socket is neither an absolute path nor an address with a port'
  sockets.push({ line, address: { kind: 'tcp', host: ANY.test(host) ? '127.0.0.1' : host, port }, level: right })
  return undefined
}

const ANY = /^(|\*|0\.0\.0\.0|::)$/
