import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'

/** A drawn haproxy.cfg. */
export interface DrawnConfig {
  readonly text: string
  readonly env: Readonly<Record<string, string>>
  /** Its runtime sockets; the first one lets everything be read. */
  readonly socket: string
}

class Draw {
  readonly random: SeededRandom
  /** No address of another machine: what is checked here is refused at once. */
  readonly #network: string
  #names = 0

  constructor(seed: number) {
    this.random = new SeededRandom(`haproxy.cfg ${seed}`)
    this.#network = `127.${1 + (seed % 250)}.${Math.floor(seed / 250) % 250}`
  }

  oneIn(count: number): boolean {
    return this.random.below(count) === 0
  }

  pick<T>(values: readonly T[]): T {
    return values[this.random.below(values.length)] as T
  }

  /** So many of them at most, in any order. */
  some(values: readonly string[], most: number): readonly string[] {
    return Array.from({ length: this.random.below(most + 1) }, () => this.pick(values))
  }

  name(prefix: string): string {
    this.#names += 1
    return `${prefix}${this.pick(['', '-', '.', '_', ':'])}${this.#names}`
  }

  address(): string {
    return `${this.#network}.${1 + this.random.below(250)}`
  }

  port(): number {
    return 1 + this.random.below(65_535)
  }
}

export function drawConfig(seed: number, folder: string): DrawnConfig {
  const draw = new Draw(seed)
  const env = { NODE: '127.0.0.7', PORT: '8007', MODE: 'http', NAME: 'from-env', CHECK: 'check' }
  const socket = `${folder}/s${seed}`
  const lines = [
    'global',
    `  stats socket ${socket} mode 600 level admin`,
    ...draw.some(moreSockets(draw, socket), 2),
    ...draw.some(['  setenv SET 127.0.0.8', '  maxconn 100', '  # stats socket /none', 'global'], 2),
    ...sections(draw, folder),
  ]
  return {
    text: ended(
      draw,
      lines.map((line) => spoiled(draw, line)),
    ),
    env,
    socket,
  }
}

const moreSockets = (draw: Draw, socket: string): readonly string[] => [
  `  stats socket "${socket}-a b" level ${draw.pick(['user', 'operator', 'admin'])}`,
  `  stats socket ${socket}-c`,
  `  stats socket unix@${socket}-d level user level operator`,
  `  stats socket '${socket}-e "quoted"' mode 660 level operator`,
  `  stats socket "${socket}-f \\"quoted\\"" expose-fd listeners`,
  `  stats socket ${socket}-g\\ h level admin # level user`,
  `  stats socket ipv4@${draw.address()}:${draw.port()} level operator`,
  `  stats socket "${socket}-$\{PORT}" level user`,
]

interface Defaults {
  readonly name: string
  readonly lines: readonly string[]
}

const TIMES = ['  timeout connect 1s', '  timeout client 1s', '  timeout server 1s']

function sections(draw: Draw, folder: string): readonly string[] {
  const isNamed = draw.oneIn(2)
  const defaults: Defaults[] = []
  const all: string[] = []
  const addDefaults = (): void => {
    const name = isNamed ? draw.name('d') : draw.pick(['', '', draw.name('plain')])
    const from = isNamed && defaults.length > 0 && draw.oneIn(2) ? ` from ${draw.pick(defaults).name}` : ''
    const lines = [`defaults ${name}${from}`, ...TIMES, ...draw.some(defaultLines(draw), 4)]
    defaults.push({ name, lines })
    all.push(...lines)
  }
  if (!draw.oneIn(10)) addDefaults()
  const backends: string[] = []
  for (let left = 1 + draw.random.below(4); left > 0; left -= 1) {
    if (draw.oneIn(3)) addDefaults()
    // Where defaults are named by one, HAProxy wants them to be named by all.
    const from = isNamed && defaults.length > 0 ? ` from ${draw.pick(defaults).name}` : ''
    const kind = draw.pick(['backend', 'backend', 'listen'])
    const name = draw.name('b')
    all.push(`${kind} ${name}${from}`, ...(kind === 'listen' ? [bind(draw, `${folder}/${name}`)] : []))
    all.push(...proxyLines(draw, { name, backends }))
    backends.push(name)
    if (draw.oneIn(4)) all.push(...others(draw))
  }
  if (draw.oneIn(2)) {
    const from = isNamed && defaults.length > 0 ? ` from ${draw.pick(defaults).name}` : ''
    const name = draw.name('f')
    all.push(`frontend ${name}${from}`, bind(draw, `${folder}/${name}`), ...draw.some(frontendLines(draw, backends), 3))
  }
  return all
}

const bind = (draw: Draw, path: string): string =>
  draw.pick([
    `  bind unix@${path}`,
    `  bind ${draw.address()}:${draw.port()}`,
    `  bind ipv4@${draw.address()}:${draw.port()},${draw.address()}:${draw.port()}`,
    `  bind "${draw.address()}:${draw.port()}" name in`,
    `  bind ${draw.address()}:30000-${30_000 + draw.random.below(3)}`,
  ])

const defaultLines = (draw: Draw): readonly string[] => [
  `  mode ${draw.pick(['http', 'tcp', '"$MODE"', '"http"'])}`,
  `  default-server ${draw.pick(['check', 'no-check', 'inter 2s', 'check port 99', 'weight 3', 'cookie check', 'backup'])}`,
  ...[
    '  disabled',
    '  enabled',
    '  enabled',
    '  option httplog',
    '  no option redispatch',
    '  balance leastconn',
    '  retries 2',
  ],
]

const frontendLines = (draw: Draw, backends: readonly string[]): readonly string[] => [
  `  default_backend ${draw.pick(backends)}`,
  `  use_backend ${draw.pick(backends)} if TRUE`,
  `  bind ${draw.address()}:${draw.port()}`,
  ...['  disabled', '  mode tcp', '  mode http'],
]

/** Sections that have servers of their own, or lines that look like some. */
const others = (draw: Draw): readonly string[] =>
  draw.pick([
    [`peers ${draw.name('p')}`, '  peer me 127.0.0.1:1', '  default-server check'],
    [`userlist ${draw.name('u')}`, '  user joe insecure-password server'],
    [`resolvers ${draw.name('r')}`, '  nameserver a 127.0.0.1:53'],
    [`cache ${draw.name('c')}`, '  total-max-size 4'],
    [`mailers ${draw.name('m')}`, '  mailer a 127.0.0.1:25'],
    [`http-errors ${draw.name('e')}`],
  ])

interface Place {
  readonly name: string
  readonly backends: readonly string[]
}

function proxyLines(draw: Draw, { name }: Place): readonly string[] {
  const lines = [...draw.some(defaultLines(draw), 3)]
  const servers: string[] = []
  for (let left = draw.random.below(5); left > 0; left -= 1) {
    if (draw.oneIn(4)) lines.push(draw.pick(defaultLines(draw)))
    const server = draw.name(draw.pick(['s', 's', 'check', 'track']))
    lines.push(draw.oneIn(8) ? template(draw) : conditional(draw, serverLine(draw, { name, server, servers })))
    servers.push(server)
  }
  return lines
}

const template = (draw: Draw): string =>
  `  server-template ${draw.name('t').replace(':', '-')} ${draw.pick(['3', '2-4'])} ${draw.address()}:${draw.port()} ${draw.pick(['check', '', 'no-check'])}`

interface Written {
  readonly name: string
  readonly server: string
  /** Those before it, which it may track. */
  readonly servers: readonly string[]
}

function serverLine(draw: Draw, { name, server, servers }: Written): string {
  const options = draw.some([...OPTIONS, ...(servers.length > 0 ? tracks(draw, name, servers) : [])], 4)
  return `  server ${written(draw, server)} ${addressText(draw)} ${options.join(' ')}`
}

const tracks = (draw: Draw, name: string, servers: readonly string[]): readonly string[] => [
  `track ${draw.pick(servers)}`,
  `track ${name}/${draw.pick(servers)}`,
]

const OPTIONS: readonly string[] = [
  ...['check', 'check', 'no-check', 'check port 99', 'check inter 1h', 'backup', 'disabled', 'weight 0', 'weight 7'],
  ...[
    'cookie check',
    'cookie no-check',
    'cookie track',
    'maxconn 5',
    'slowstart 3s',
    'on-error mark-down',
    'rise 1 fall 2',
  ],
  ...[
    'port 98',
    'addr 127.0.0.9',
    'source 127.0.0.2',
    'id 777',
    '"$CHECK"',
    'agent-check agent-port 97',
    'observe layer4',
  ],
  ...[
    'send-proxy',
    'enabled',
    'non-stick',
    'init-addr none',

    'redir check',
    'on-marked-down shutdown-sessions',
  ],
]

function addressText(draw: Draw): string {
  const [address, port] = [draw.address(), draw.port()]
  return draw.pick([
    ...[
      `${address}:${port}`,
      `${address}:${port}`,
      `${address}:${port}`,
      `ipv4@${address}:${port}`,
      `tcp4@${address}:${port}`,
    ],
    ...[
      address,
      `${address}:`,
      `${address}:+100`,
      `${address}:-1000`,
      `${address}:+0`,
      `:${port}`,
      `*:${port}`,
      `0.0.0.0:${port}`,
    ],
    ...[
      `[::1]:${port}`,
      `::1:${port}`,
      `ipv6@::1:${port}`,
      '[::1]',
      'localhost:80',
      `unix@/nowhere`,
      '/nowhere',
      'abns@x',
    ],
    ...[
      `"$NODE:${port}"`,
      `"\${NODE}:$PORT"`,
      `"\${NONE-${address}}:${port}"`,
      `"${address}":${port}`,
      `'${address}:${port}'`,
    ],
    ...[`"\${SET}:${port}"`, `127.1:${port}`, `::ffff:${address}:${port}`],
  ])
}

/** A name in quotes, with an escape, or from the environment. */
const written = (draw: Draw, name: string): string =>
  draw.pick([
    name,
    name,
    name,
    name,
    `"${name}"`,
    `'${name}'`,
    `\\x${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
    `"${name}$PORT"`,
  ])

/** Lines of which a condition leaves some out. */
const conditional = (draw: Draw, line: string): string =>
  draw.oneIn(8)
    ? draw
        .pick([
          ['.if defined(NODE)', line, '.endif'],
          ['.if defined(NOTHING)', line, '.endif'],
          ['.if streq("$MODE",http)', line, '.else', line.replace('server ', 'server else'), '.endif'],
        ])
        .join('\n')
    : line

/** As people write. */
const spoiled = (draw: Draw, line: string): string =>
  draw.oneIn(12)
    ? draw.pick([
        `${line} # check disabled`,
        `${line}#x`,
        line.replace(/^ */, '\t\t'),
        line.replace(/^ */, ''),
        line.replaceAll(/ (?=\S)/g, '  '),
        `${line}\r`,
        `${line}   \t`,
        `\n${line}\n# server not-one 127.0.0.1:1\n`,
      ])
    : line

const ended = (draw: Draw, lines: readonly string[]): string => `${lines.join('\n')}${draw.oneIn(50) ? '' : '\n'}`
