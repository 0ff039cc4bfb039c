import { SeededRandom } from '../../../../src/sim/clocks/seeded-random.ts'
import { ATTACHED_STAMP } from '../virtual-detacher.ts'
import { MARK_ANNOTATION, MARK_LABEL } from '../virtual-health-checks.ts'
import type { Scenario } from './scenario.ts'
import { scenarioOf } from './scenario.ts'
import { FIRST_WITH_MORE } from './scenario-by-step.ts'
import { BRISK } from './seed-roll-file.ts'
import { OTHER_WAYS } from './world-kind.ts'

/** What the world and its judges are to know of a drawn roll file. */
export interface FileWishes {
  /** How many nodes may be out together. */
  readonly mostOut: number
  /** How many lost requests the file allows in all. */
  readonly allowed: number
  /** Hooks set flags of storage before each reboot. */
  readonly hasFlags: boolean
  /** A gate or a hook fails until then, after the beginning of the first roll; 0: never. */
  readonly programsFailUntilMs: number
  readonly takesLock: boolean
  readonly announces: boolean
  readonly mayDelete: boolean
}

type Fields = Readonly<Record<string, unknown>>

/**
 * The world of a seed, with a roll file in which every field is drawn that the world can play: its default, which is to leave it
 * out, another ordinary value, or one of its bounds.
 */
export function fileScenarioOf(seed: string): Scenario {
  const ways = new Draw(new SeededRandom(`kinds ${seed}`))
  const drawn = scenarioOf(seed, ways.chance(0.4) ? OTHER_WAYS : undefined)
  const random = new SeededRandom(`file ${seed}`)
  const spec = drawn.spec as FieldsOfWorld
  const draw = new Draw(random)
  const together = drawn.nodes > 3 && draw.chance(0.5) ? 2 : 1
  const allowed = draw.oneOf([0, 0, 0, 1, 5])
  const wishes = {
    mostOut: together,
    allowed,
    hasFlags: draw.chance(0.35),
    programsFailUntilMs: draw.chance(0.4) ? random.between(1_000, 20_000) : 0,
    takesLock: draw.chance(0.2),
    announces: draw.chance(0.2),
    mayDelete: draw.chance(0.3),
  }
  return {
    ...drawn,
    file: wishes,
    spec: {
      ...spec,
      nodes: { ...(draw.chance(0.25) ? selectorOf(draw) : spec.nodes), ...draw.maybe({ allowUnbalanced: [true] }) },
      slots: {
        ...BRISK.slots,
        ...draw.maybe({ leaseDuration: ['20s', '30s', '1min'], grantsNamespace: ['evenkeel'] }),
        maxOut: slotsOf(draw, together),
      },
      ...(draw.chance(together > 1 ? 1 : 0.3) ? { parallel: draw.oneOf([2, 3]) } : {}),
      // A request that takes longer than this is cut, as the file says.
      detach: {
        ...BRISK.detach,
        ...(drawn.world.hasLongRequests === true ? {} : draw.maybe({ idleLimit: ['1s', '20s'] })),
      },
      drain: { ...BRISK.drain, ...spec.drain, ...drainOf(draw, wishes) },
      reboot: rebootOf(draw, seed, wishes),
      settle: {
        ...BRISK.settle,
        ...draw.maybe({ limit: ['20s', '2min'], timesInARow: [1, 3] }),
      },
      attach: { ...BRISK.attach, ...draw.maybe({ limit: ['20s', '2min'] }) },
      soak: draw.oneOf(['0s', '1s', '2s', '5s']),
      baseline: { ...BRISK.baseline, ...draw.maybe({ duration: ['2s', '3s'], limit: ['30s', '2min'] }) },
      ...(spec.balancers === undefined ? {} : { balancers: spec.balancers.map((one) => balancerOf(ways, one)) }),
      ...(spec.probes === undefined ? {} : { probes: spec.probes.map((probe) => ({ ...probe, ...probeOf(draw) })) }),
      ...(allowed === 0 ? {} : { stop: stopOf(draw, allowed, String(spec.probes?.[0]?.name ?? 'front-1')) }),
      ...(wishes.hasFlags
        ? {
            gates: [...gatesOf(draw), ...asksOf(seed, ways)],
            hooks: hooksOf(draw),
          }
        : {}),
      ...silencesOf(seed, ways),
      ...(wishes.announces ? { announce: { conditions: true } } : {}),
      ...(draw.chance(0.2) ? { window: windowOf(draw) } : {}),
    },
  }
}

interface FieldsOfWorld {
  readonly drain?: Fields
  readonly probes?: readonly Fields[]
  readonly nodes?: Fields
  readonly balancers?: readonly BalancerFields[]
}

/** Chances of one seed. */
class Draw {
  readonly #random: SeededRandom

  constructor(random: SeededRandom) {
    this.#random = random
  }

  chance(share: number): boolean {
    return this.#random.next() < share
  }

  oneOf<T>(values: readonly [T, ...T[]]): T {
    return values[this.#random.below(values.length)] ?? values[0]
  }

  /** Each field in three of ten seeds, with one of its values. */
  maybe(fields: Readonly<Record<string, readonly [unknown, ...unknown[]]>>): Fields {
    return Object.fromEntries(
      Object.entries(fields).flatMap(([name, values]) =>
        this.chance(0.3) ? [[name, this.oneOf(values)] as const] : [],
      ),
    )
  }
}

/** All nodes, in other words. */
const selectorOf = (draw: Draw): Fields => ({
  selector: draw.oneOf<unknown>([
    '!example.com/pool',
    { matchExpressions: [{ key: 'example.com/pool', operator: 'NotIn', values: ['spare'] }] },
    { matchLabels: { 'kubernetes.io/os': 'linux' } },
  ]),
})

const slotsOf = (draw: Draw, together: number): number | string =>
  together > 1 ? together : draw.oneOf<number | string>([1, '1%'])

function drainOf(draw: Draw, { mayDelete }: Pick<FileWishes, 'mayDelete'>): Fields {
  const blocked = draw.oneOf<Fields>([
    { wait: '1s', surge: '1min' },
    { wait: '5s', ask: '10s' },
    { wait: '2s', surge: '20s', ...(mayDelete ? { delete: true } : {}) },
  ])
  return {
    ...draw.maybe({
      firstStage: [
        'app=database',
        'app=whoami',
        { matchExpressions: [{ key: 'app', operator: 'In', values: ['database', 'whoami'] }] },
        { matchLabels: { app: 'database' } },
      ],
      deleteEmptyDirData: [true],
      deleteUnmanaged: [true],
      grace: ['30s'],
      preferDone: [true],
      safeToEvict: ['warn', 'hold'],
      blockedLimit: ['40s'],
      stageLimit: ['1min'],
    }),
    ...(draw.chance(0.3) ? { blocked: [{ ...draw.oneOf(PODS), ...blocked }] } : {}),
  }
}

/** The pods of `whoami`, in three ways to say so. */
const PODS: readonly [Fields, ...Fields[]] = [
  { selector: 'app=whoami' },
  { selector: { matchLabels: { app: 'whoami' } } },
  { selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['whoami'] }] }, namespaces: ['default'] },
]

type BalancerFields = Fields & {
  readonly healthCheck?: Fields & { readonly taint: string; readonly check: Fields }
  readonly annotation?: Fields
  readonly commands?: Fields & { readonly cut: unknown }
}

/** A balancer of another kind than HAProxy and agents, with its fields drawn. */
function balancerOf(draw: Draw, { healthCheck, annotation, commands, ...same }: BalancerFields): Fields {
  if (healthCheck !== undefined) return { ...same, healthCheck: healthCheckOf(draw, healthCheck) }
  if (annotation !== undefined)
    return {
      ...same,
      annotation: {
        ...annotation,
        ...draw.maybe({
          value: ['rolls'],
          attachedKey: [ATTACHED_STAMP],
          grace: ['0s', '10s'],
          attachGrace: ['0s', '10s'],
          skew: ['0s', '1min'],
        }),
      },
    }
  if (commands === undefined) return same
  const { cut, ...others } = commands
  const mayCut = draw.chance(0.6) ? { cut } : {}
  return {
    ...same,
    commands: { ...others, ...mayCut, ...draw.maybe({ timeout: ['2s', '10s'], interval: ['1s', '10s'] }) },
  }
}

function healthCheckOf(draw: Draw, { taint, check, ...same }: NonNullable<BalancerFields['healthCheck']>): Fields {
  const mark = draw.oneOf<Fields>([{ taint }, { label: MARK_LABEL }, { annotation: MARK_ANNOTATION }])
  const asked = { ...check, ...draw.maybe({ expectStatus: ['200', '200-299'] }) }
  return {
    ...same,
    ...mark,
    ...(draw.chance(0.7) ? { check: asked } : {}),
    ...draw.maybe({ value: ['rolls'], markDelay: ['1s', '5s'], nodes: ['!example.com/pool'] }),
  }
}

const probeOf = (draw: Draw): Fields =>
  draw.maybe({
    keptShare: [0, 0.5, 1],
    timeout: ['1s', '5s'],
    expectStatus: ['200', '200-299'],
    servedByHeader: ['X-Served-By', 'X-Other'],
    rate: [7, 11],
  })

function stopOf(draw: Draw, allowed: number, probe: string): Fields {
  const latency = { probe, slowerThan: '900ms', share: '50%', over: '10s' }
  return {
    failedRequests: { inAll: allowed, ...draw.maybe({ perNode: [1, allowed] }) },
    ...draw.maybe({ latency: [[latency]], errorBudget: [[{ probe, downtime: '5min' }]] }),
  }
}

const GATE = { timesInARow: [1, 2], interval: ['500ms', '2s'], timeout: ['2s', '10s'], limit: ['1min'] } as const

const gatesOf = (draw: Draw): readonly Fields[] => [
  { name: 'well', before: [draw.oneOf(['node', 'reboot', 'attach'])], command: ['well'], ...draw.maybe(GATE) },
  ...(draw.chance(0.3) ? [{ name: 'all', before: ['node', 'attach'], command: ['well'], ...draw.maybe(GATE) }] : []),
]

/** What is behind the URLs is as well as the programs; the objects are there. */
const QUESTIONS: readonly [Fields, ...Fields[]] = [
  { http: { url: 'http://well.test/{node}', expectStatus: '200-204' } },
  { prometheus: { url: 'http://metrics.test', query: 'ill_of{node="{node}"}', expect: '== 0' } },
  { prometheus: { url: 'http://metrics.test', query: 'ill', expect: '< 1' } },
  { object: { version: 'v1', resource: 'nodes', name: '{node}', condition: 'Ready' } },
  {
    object: {
      ...{ group: 'apps', version: 'v1', resource: 'deployments', namespace: 'default', name: 'whoami' },
      passWhen: 'object.spec.replicas > 0',
    },
  },
]

/** Seeds before these mean for good what they meant when there was less to draw. */
const knowsMore = (seed: string): boolean => Number(seed) >= FIRST_WITH_MORE

/** After half a minute a command that was lost is sent again. Where the roll has given up by then, people reboot the machine: here nobody does. */
const SENT_AGAIN = { returnLimit: '2min' }

function rebootOf(draw: Draw, seed: string, { takesLock }: Pick<FileWishes, 'takesLock'>): Fields {
  const ssh = { ...BRISK.reboot.ssh, ...draw.maybe({ user: ['root'] }) }
  const drawn = draw.maybe({
    resendAfter: ['10s', '30s'],
    returnLimit: ['30s', '2min'],
    onlyIfNeeded: [{ sentinel: '/var/run/reboot-required' }],
  })
  const again = drawn.resendAfter === '30s' && knowsMore(seed) ? SENT_AGAIN : {}
  return { ...BRISK.reboot, ssh, ...drawn, ...again, ...(takesLock ? { kuredLock: {} } : {}) }
}

const asksOf = (seed: string, draw: Draw): readonly Fields[] =>
  knowsMore(seed) && draw.chance(0.4)
    ? [{ name: 'asked', before: [draw.oneOf(['node', 'attach'])], ...draw.oneOf(QUESTIONS), ...draw.maybe(GATE) }]
    : []

const silencesOf = (seed: string, draw: Draw): Fields =>
  knowsMore(seed) && draw.chance(0.25) ? { silences: [silenceOf(draw)] } : {}

const silenceOf = (draw: Draw): Fields => ({
  name: 'alerts',
  url: 'http://alertmanager.test',
  matchers: [
    draw.oneOf<Fields>([
      { name: 'instance', value: '{address}(:[0-9]+)?', regex: true },
      { name: 'node', value: '{node}' },
    ]),
  ],
  ...draw.maybe({ duration: ['1min', '1h'], timeout: ['1s', '10s'], onFailure: ['hold', 'ignore'] }),
})

const HOOK = { timeout: ['5s', '1min'], limit: ['1min'] } as const

const hooksOf = (draw: Draw): readonly Fields[] => [
  {
    name: 'outer',
    at: 'beforeNode',
    run: ['set', 'outer-{node}'],
    undo: ['unset', 'outer-{node}'],
    ...draw.maybe(HOOK),
  },
  {
    name: 'noout',
    at: 'beforeReboot',
    run: ['set', '{node}'],
    undo: ['unset', '{node}'],
    onFailure: 'hold',
    ...draw.maybe(HOOK),
  },
  { name: 'through', at: 'afterNode', run: ['through', '{node}'], ...draw.maybe({ onFailure: ['hold', 'ignore'] }) },
]

/** Open all day, but for ten minutes that come while the roll is at work. */
const windowOf = (draw: Draw): Fields => ({
  open: [{ cron: '0 0 * * *', duration: '24h' }],
  ...(draw.chance(0.6) ? { not: [{ cron: `${draw.oneOf([0, 1])} 0 * * *`, duration: '10min' }] } : {}),
  zone: draw.oneOf(['UTC', 'Europe/Berlin']),
  ...draw.maybe({ onClose: ['finish', 'restore'], waitLimit: ['1h'] }),
})
