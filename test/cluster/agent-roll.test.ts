import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, type TestContext, test } from 'node:test'
import { MAINTENANCE_ANNOTATION } from '../../src/ground/model/claims.ts'
import { waitFor } from '../../testbed/machine/wait-for.ts'
import { AgentBed } from '../support/agent-bed/agent-bed.ts'
import type { Fronts } from '../support/agent-bed/check-backends.ts'
import type { IngressKind } from '../support/agent-bed/node-ingress.ts'
import { DATA_PORT } from '../support/agent-bed/node-ingress.ts'
import { requires } from '../support/requires.ts'
import { BootCounter } from '../support/roll-bed/boot-counter.ts'
import type { Judge } from '../support/roll-bed/judge.ts'
import type { RollProcess } from '../support/roll-bed/roll-process.ts'
import { unlessVoid } from '../support/roll-bed/unless-void.ts'

let opened: AgentBed | undefined
const place = (): AgentBed => {
  assert.ok(opened)
  return opened
}
const real = requires('testbed', 'haproxy')

before(async () => {
  if (real.skip === false) opened = await AgentBed.open()
})
after(async () => opened?.close())

/** What takes too long for every day, half an hour: `npm run nightly -- dialects`. */
const EVERY = process.env.EVERY_DIALECT !== undefined

/** Requests a second of the judges; by day virtual time runs beside. */
const RATE = EVERY ? 200 : 100

interface Roll extends Fronts {
  /** Declared of HAProxy's address. */
  readonly checkers?: number
  readonly checks?: object
  readonly idleLimit?: string
  /** All of them where absent. */
  readonly nodes?: readonly string[]
}

/** Rolls the nodes and gives what the judges have counted, all fronts together, and how each wait ended. */
async function rolled({ dialects, closes = false, nodes = place().bed.nodes, ...facts }: Roll) {
  const { bed } = place()
  const lb = await place().haproxy({ dialects, closes })
  const judges: Judge[] = []
  try {
    const boots = new BootCounter(bed)
    // Twice the work for each request: a machine of two cores would judge itself.
    const rate = closes ? RATE / 2 : RATE
    judges.push(...dialects.map((_, i) => place().judge(i, rate / dialects.length)))
    const roll = place().roll('-f', place().file({ ...facts, nodes, fronts: dialects.length }), '--yes')
    if (closes) await heldThrough(roll)
    const { code, stderr } = await roll.ended()
    const verdicts = await Promise.all(judges.map((judge) => judge.verdict()))
    assert.equal(code, 0, stderr)
    assert.deepEqual(
      await boots.stop(),
      Object.fromEntries(bed.nodes.map((node) => [node, nodes.includes(node) ? 1 : 0])),
    )
    assert.equal(JSON.parse(await bed.kubectl(['get', 'nodes', '-o', 'json'])).items.some(isAsked), false)
    const sum = (of: (verdict: (typeof verdicts)[number]) => number): number =>
      verdicts.reduce((total, verdict) => total + of(verdict), 0)
    return {
      failedRequests: sum((verdict) => verdict.failedRequests),
      sentRequests: sum((verdict) => verdict.sentRequests),
      skippedRequests: sum((verdict) => verdict.skippedRequests),
      windows: verdicts.flatMap(({ windows }) => windows),
      noticed: roll.events.flatMap((event) => (event.type === 'noticed' ? [event] : [])),
      idle: roll.events.flatMap((event) => (event.type === 'idle' ? [event] : [])),
    }
  } finally {
    for (const judge of judges) judge.kill('SIGKILL')
    await lb.kill()
  }
}

/** A request to the first node that lasts for long after all other clients have left it. */
async function heldThrough(roll: RollProcess): Promise<void> {
  const { bed } = place()
  const [first = ''] = bed.nodes
  const relay = await bed.relay(bed.nodeAddress(first), DATA_PORT)
  const socket = connect(relay.port, '127.0.0.1').on('error', () => undefined)
  socket.write('POST / HTTP/1.1\r\nHost: edge\r\nContent-Length: 9\r\n\r\n')
  await roll.until(`${first} to be left`, (event) => event.type === 'noticed' && event.node === first)
  const left = performance.now()
  await waitFor({ what: 'a while to be over', limitMs: 2 * HELD_MS, everyMs: 100 }, () =>
    performance.now() - left >= HELD_MS ? true : undefined,
  )
  socket.destroy()
}

const isAsked = ({ metadata }: { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } }) =>
  MAINTENANCE_ANNOTATION in (metadata.annotations ?? {})

const IDLE_LIMIT_MS = 5_000
/** Never reached where connections end and are seen to. */
const LONG_MS = 60_000
const HELD_MS = 8_000

async function losesNothing(t: TestContext, roll: Roll, seen: Place['seen']): Promise<void> {
  const idleLimitMs = roll.closes === true ? LONG_MS : IDLE_LIMIT_MS
  const nodes = roll.nodes ?? place().bed.nodes
  const run = () => rolled({ ...roll, idleLimit: `${idleLimitMs}ms` })
  const { failedRequests, sentRequests, noticed, windows, idle } = await unlessVoid(t, run)
  const waits = noticed.map(({ node, step, by, afterMs }) => `${node} ${step} ${by} ${afterMs} ms`)
  const idleWaits = idle.map(({ by, left, afterMs }) => `${by} ${afterMs} ms, ${left} left`)
  t.diagnostic(`${failedRequests} of ${sentRequests} failed; ${waits.join(', ')}; idle by ${idleWaits.join(', ')}`)
  assert.equal(failedRequests, 0, JSON.stringify(windows.slice(0, 3)))
  assert.ok(sentRequests > nodes.length * (EVERY ? 1_500 : 750))
  assert.deepEqual(idle.map(({ node }) => node).toSorted(), nodes.toSorted())
  const isTrue = ({ left, by, afterMs }: (typeof idle)[number]): boolean =>
    by === 'connections' ? left === 0 : left !== 0 && afterMs >= idleLimitMs
  assert.deepEqual(
    idle.filter((each) => !isTrue(each)),
    [],
  )
  assert.ok(idle.every(({ left }) => (left === 'unknown') === (seen === 'not at all')))
  if (roll.closes === true) {
    assert.ok(idle.every(({ by, afterMs }) => by === 'connections' && afterMs < LONG_MS / 2))
    assert.ok((idle[0]?.afterMs ?? 0) >= HELD_MS)
  }
  const wanted = roll.checkers === undefined ? 'time' : 'checks'
  assert.deepEqual(
    noticed.map(({ by }) => by),
    nodes.flatMap(() => [wanted, wanted]),
  )
}

const limits = { ...real, timeout: 400_000 }

interface Place {
  readonly ingress: IngressKind
  readonly agents: IngressKind
  /** By sockets of the node, by its connection tracking, or not at all. */
  readonly seen: 'by sockets' | 'by tracking' | 'not at all'
}

function behind({ ingress, agents, seen }: Place, rolls: readonly (Roll & { readonly what: string })[]): void {
  describe(`an ingress by ${ingress}, agents by ${agents}, connections seen ${seen}, a HAProxy that knows checks alone`, {
    ...real,
    concurrency: 1,
  }, () => {
    before(() => place().serve(ingress, agents))
    for (const { what, ...roll } of rolls)
      test(`${what}: each node that is rolled is rebooted, and no request fails`, limits, (t) =>
        losesNothing(t, roll, seen),
      )
    after(() => place().place.uninstall())
  })
}

/** Each dialect alone, before one backend and before three. */
const MATRIX: readonly (Roll & { readonly what: string })[] = (
  ['plain', 'disable-on-404', 'agent-check'] as const
).flatMap((dialect) =>
  [1, 3].map((checkers) => ({
    what: `${dialect} and ${checkers} backends`,
    dialects: Array.from({ length: checkers }, () => dialect),
    checkers,
    checks: { drainsAtOnce: dialect !== 'plain' },
  })),
)

behind(
  { ingress: 'hostNetwork', agents: 'hostNetwork', seen: 'by sockets' },
  EVERY
    ? [
        ...MATRIX,
        { what: '503, no checker declared', dialects: ['plain'] },
        { what: '503, connections end with their requests', dialects: ['plain'], checkers: 1, closes: true },
      ]
    : [
        {
          what: 'three backends of three dialects, their checkers declared',
          dialects: ['plain', 'disable-on-404', 'agent-check'],
          checkers: 3,
          nodes: ['n1'],
        },
      ],
)

// By day `agent-install` asks agents behind ports of the nodes, and `core/roll/health-endpoint` has the rule for connections
// that are not seen.
if (EVERY) behind({ ingress: 'hostPort', agents: 'hostPort', seen: 'not at all' }, MATRIX)

// By day `agent/io/tracked-connections` counts in the connection tracking of a real kernel.
if (EVERY)
  behind({ ingress: 'hostPort', agents: 'hostNetwork', seen: 'by tracking' }, [
    {
      what: '404, the one checker declared, connections end with their requests',
      dialects: ['disable-on-404'],
      checkers: 1,
      closes: true,
    },
  ])
