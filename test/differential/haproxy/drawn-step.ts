import type { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import { type DrawnBalancer, pick } from './drawn-balancer.ts'

export type Health = number | 'hang' | 'break'

/** What happens to both balancers. */
export type Step =
  | { readonly kind: 'command'; readonly line: string }
  | { readonly kind: 'health'; readonly server: string; readonly to: Health }
  | { readonly kind: 'agent'; readonly server: string; readonly line: string }
  | { readonly kind: 'requests' | 'hold'; readonly backend: string; readonly cookie?: string }
  | { readonly kind: 'release' }
  | { readonly kind: 'reload'; readonly keepsStates: boolean }

const STEPS = 14
const HEALTHS: readonly Health[] = [200, 200, 200, 503, 503, 'break', 'hang']
const AGENT_LINES = [
  ...['up', 'down', 'stopped # by hand', 'fail', 'drain', 'maint', 'ready', 'ready up', 'up ready 100%', ''],
  ...['50%', '0%', 'up, 200%', 'drain 50%', 'maxconn:3', 'bogus', 'up bogus'],
]
const OF_SERVER = [
  ...['set server S state ready', 'set server S state ready', 'set server S state drain', 'set server S state maint'],
  ...['set server S health up', 'set server S health down', 'set server S health stopping'],
  ...['set server S agent up', 'set server S agent down', 'set server S weight 0', 'set server S weight 3'],
  ...['set server S weight 50%', 'set server S weight 100%', 'set weight S 2', 'set weight S 200%', 'get weight S'],
  ...[
    'disable server S',
    'enable server S',
    'disable health S',
    'enable health S',
    'disable agent S',
    'enable agent S',
  ],
  ...['set maxconn server S 0', 'set maxconn server S 1', 'set maxconn server S 3', 'shutdown sessions server S'],
]
const WRONG = [
  ...['set server S', 'set server S state', 'set server S state up', 'set server S health', 'set server S health 1'],
  ...[
    'set server S agent',
    'set server S weight',
    'set server S weight -1',
    'set server S weight 257',
    'set server S colour red',
  ],
  ...[
    'set weight S',
    'set weight S x',
    'set weight S 5x',
    'set weight S -3%',
    'set maxconn server S',
    'set maxconn server S x',
  ],
  ...[
    'set maxconn server S 1x',
    'set server web/nope state drain',
    'set server nope/a state drain',
    'set server web',
    'set server',
  ],
  ...['get weight', 'get weight web/', 'disable server', 'enable server web/nope', 'disable health nope/a', 'disable'],
  ...['shutdown sessions server', 'disable frontend', 'disable frontend nope', 'show servers', 'bogus', ''],
  ...['show servers state nope', 'show servers conn nope', 'show stat nope 4 -1', 'enable agent', 'set maxconn', 'get'],
]
const SHOWN = [
  ...[
    'show servers state',
    'show servers state web',
    'show servers conn',
    'show servers conn web',
    'show stat web 4 -1',
  ],
  ...[
    'show stat -1 4 -1',
    'show backend',
    'show cli level',
    'show stat web 4 1',
    'show stat -1 4 2',
    'show stat 99 4 1',
    'show stat',
    'show stat web -1 -1',
  ],
]
const OF_FRONTEND = ['disable frontend F', 'enable frontend F', 'enable frontend F']

export function drawSteps(random: SeededRandom, balancer: DrawnBalancer): readonly Step[] {
  const steps = Array.from({ length: STEPS }, () => drawStep(random, balancer))
  const reloadAt = 3 + random.below(STEPS - 5)
  return steps.toSpliced(reloadAt, 1, { kind: 'reload', keepsStates: random.below(2) === 0 })
}

function drawStep(random: SeededRandom, balancer: DrawnBalancer): Step {
  const server = pick(random, balancer.servers)
  const backend = pick(random, balancer.backends).name
  const draw = random.below(100)
  if (draw < 45) return { kind: 'command', line: drawLine(random, balancer) }
  if (draw < 60) return { kind: 'health', server, to: pick(random, HEALTHS) }
  if (draw < 68) return { kind: 'agent', server, line: pick(random, AGENT_LINES) }
  if (draw < 82) return { kind: 'requests', backend, ...(random.below(3) === 0 ? { cookie: server } : {}) }
  if (draw < 94) return { kind: 'hold', backend, ...(random.below(4) === 0 ? {} : { cookie: server }) }
  return { kind: 'release' }
}

function drawLine(random: SeededRandom, balancer: DrawnBalancer): string {
  const one = drawCommand(random, balancer)
  return random.below(5) === 0 ? `${one};${drawCommand(random, balancer)}` : one
}

function drawCommand(random: SeededRandom, { servers, backends }: DrawnBalancer): string {
  const draw = random.below(100)
  const words = draw < 65 ? OF_SERVER : draw < 80 ? WRONG : draw < 93 ? SHOWN : OF_FRONTEND
  const backend = pick(random, backends).name
  const server = `${backend}/${pick(random, servers)}`
  return pick(random, words)
    .replace('S', () => server)
    .replace('F', `front-${backend}`)
}
