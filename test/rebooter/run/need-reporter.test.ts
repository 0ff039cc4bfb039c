import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RebootCondition } from '../../../src/ground/model/reboot-condition.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import type { ConditionsChange } from '../../../src/ground/ports/cluster.ts'
import type { NeedReading } from '../../../src/rebooter/model/need-reading.ts'
import { NeedReporter } from '../../../src/rebooter/run/need-reporter.ts'
import { aNode } from '../../support/roll-world.ts'
import { SeededRandom } from '../../support/seeded-random.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'

const BOOT = '8d3c0c8b-0000-4000-8000-000000000001'
const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** A machine whose file can be put and taken away, and its Node. */
class World {
  readonly clock = new VirtualClock()
  readonly writes: ConditionsChange[] = []
  readonly warnings: string[] = []
  reads = 0
  isThere = false
  hangs = false
  refusal: WorldError | undefined
  shown: RebootCondition | undefined
  readonly #ends = new AbortController()

  begin(bootId = BOOT): void {
    const reporter = new NeedReporter({
      node: 'n1',
      bootId,
      sources: { of: ['debian'], files: [] },
      read: () => (this.hangs ? Promise.withResolvers<NeedReading>().promise : Promise.resolve(this.#reading())),
      cluster: {
        readNode: async () => {
          this.reads += 1
          if (this.refusal !== undefined) throw this.refusal
          return aNode('n1', this.shown === undefined ? {} : { rebootRequired: this.shown })
        },
        setConditions: async (change) => this.#set(change),
      },
      clock: this.clock,
      random: new SeededRandom(1),
      log: { debug: () => undefined, warn: (text) => void this.warnings.push(text) },
      everyMs: MINUTE,
    })
    reporter.run(this.#ends.signal).catch(() => undefined)
  }

  end(): void {
    this.#ends.abort(new Error('over'))
  }

  #reading(): NeedReading {
    return {
      families: [],
      files: new Map([
        ['/run/reboot-required', this.isThere ? { kind: 'there', text: '', isCut: false } : { kind: 'absent' }],
      ]),
      kernel: '6.1.0-30-amd64',
      kernels: { kind: 'listed', names: [] },
      packages: { kind: 'absent' },
    }
  }

  #set(change: ConditionsChange): void {
    this.writes.push(change)
    const { RebootRequired: set } = change.conditions
    if (!set) return
    this.shown = { status: set.status ?? 'True', reason: set.reason, message: set.message, heartbeat: set.at }
  }

  /** Of each write: its status, and whether that is another one than before. */
  said(): readonly (readonly [string | undefined, boolean])[] {
    return this.writes.map(({ conditions: { RebootRequired: set } }) => [set?.status, set?.isSameStatus !== true])
  }
}

async function begun(change: (world: World) => void = () => undefined): Promise<World> {
  const world = new World()
  change(world)
  world.begin()
  await world.clock.advance(10)
  return world
}

test('the condition is written once, then only where it changes, and each hour', async (t) => {
  const world = await begun()
  t.after(() => world.end())
  assert.deepEqual(world.writes, [
    {
      node: 'n1',
      uid: 'uid-n1',
      conditions: {
        RebootRequired: {
          status: 'False',
          reason: 'NothingPending',
          message: `no /run/reboot-required (boot ${BOOT})`,
          at: '2026-01-01T00:00:00Z',
        },
      },
    },
  ])
  await world.clock.advance(40 * MINUTE)
  assert.deepEqual([world.writes.length, world.reads], [1, 1])
  world.isThere = true
  await world.clock.advance(MINUTE)
  assert.deepEqual(world.said(), [
    ['False', true],
    ['True', true],
  ])
  await world.clock.advance(HOUR)
  assert.deepEqual(world.said().slice(2), [['True', false]])
  await world.clock.advance(5 * HOUR)
  const later = world.writes.length - 3
  assert.ok(later >= 5 && later <= 7, `${later} writes in 5 hours: one each 45 to 60 minutes`)
})

test('a process that starts again writes nothing while the Node shows it, and goes on with its hour', async (t) => {
  const first = await begun()
  first.end()
  const { shown } = first
  const second = await begun((world) => {
    world.shown = shown
  })
  t.after(() => second.end())
  await second.clock.advance(50 * MINUTE)
  assert.deepEqual([second.writes.length, second.reads], [0, 1])
  await second.clock.advance(11 * MINUTE)
  assert.deepEqual(second.said(), [['False', false]])
})

test('after a boot it is written again, and what was not written by a boot or in the future as well', async () => {
  const heartbeat = '2026-01-01T00:00:00Z'
  const before = { status: 'True', reason: 'x', message: 'y', heartbeat } as const
  const message = `no /run/reboot-required (boot ${BOOT})`
  const now = { status: 'False', reason: 'NothingPending', message, heartbeat } as const
  const rows: readonly (readonly [RebootCondition, number])[] = [
    [before, 1],
    [{ ...now, message: message.replace('0001)', '0002)') }, 1],
    [{ ...now, heartbeat: '2026-01-01T02:00:00Z' }, 1],
    [{ ...now, heartbeat: '2025-12-31T22:00:00Z' }, 1],
    [{ ...now, heartbeat: 'never' }, 1],
    [now, 0],
  ]
  for (const [shown, writes] of rows) {
    const world = await begun((one) => {
      one.shown = shown
    })
    assert.equal(world.writes.length, writes, JSON.stringify(shown))
    world.end()
  }
})

test('an API server that is away is asked less and less often, and one warning says so', async (t) => {
  const world = await begun((one) => {
    one.refusal = new WorldError('the API server is away', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })
  })
  t.after(() => world.end())
  await world.clock.advance(30 * MINUTE)
  assert.deepEqual(world.warnings, ['the condition RebootRequired cannot be written: the API server is away'])
  assert.ok(world.reads < 40, `${world.reads} requests`)
  world.refusal = undefined
  await world.clock.advance(6 * MINUTE)
  assert.deepEqual(world.said(), [['False', true]])
})

test('files that hang make it Unknown, and what they say later is written', async (t) => {
  const world = await begun((one) => {
    one.hangs = true
  })
  t.after(() => world.end())
  await world.clock.advance(MINUTE)
  assert.deepEqual(world.shown?.status, 'Unknown')
  assert.match(world.shown?.message ?? '', /^the file system did not answer within 30000 ms/)
  world.hangs = false
  await world.clock.advance(2 * MINUTE)
  assert.equal(world.shown?.status, 'False')
})
