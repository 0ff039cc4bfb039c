import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { DnsCheck } from '../../../src/dns/run/check-dns.ts'
import { type CheckTrouble, watchDns } from '../../../src/dns/run/watch-dns.ts'
import { UserError } from '../../../src/ground/model/user-error.ts'
import { WorldError } from '../../../src/ground/model/world-error.ts'
import { VirtualClock } from '../../support/virtual-clock.ts'
import { aScene } from '../decide/a-scene.ts'
import { aCheck } from './a-check.ts'

const WELL = aCheck(aScene())
const AWAY = new WorldError('the API server does not answer', { code: 'KUBE_UNREACHABLE', retry: 'backoff' })

interface Course {
  /** What each check comes to in turn; the last one again and again. */
  readonly checks: readonly (DnsCheck | Error)[]
  readonly tookMs?: number
  readonly forMs?: number
  /** What chance draws each time. */
  readonly chance?: number
}

/** A watch every 10 s in virtual time. `begun` are the times at which checks began. */
function watching(t: TestContext, { checks, tookMs = 0, forMs, chance = 0.5 }: Course) {
  const clock = new VirtualClock()
  const stop = new AbortController()
  t.after(() => stop.abort())
  const [begun, seen]: [number[], (DnsCheck | CheckTrouble)[]] = [[], []]
  let underWay = 0
  const next = async (signal: AbortSignal): Promise<DnsCheck> => {
    underWay += 1
    assert.equal(underWay, 1, 'one check at a time')
    begun.push(clock.monoMs())
    try {
      await clock.sleep(tookMs, signal)
    } finally {
      underWay -= 1
    }
    const outcome = checks[Math.min(begun.length, checks.length) - 1] ?? WELL
    if (outcome instanceof Error) throw outcome
    return outcome
  }
  const watch = watchDns(
    {
      checks: { next, random: { next: () => chance, hex: () => '' } },
      clock,
      intervalMs: 10_000,
      ...(forMs === undefined ? {} : { forMs }),
      onSeen: (one) => seen.push(one),
    },
    stop.signal,
  )
  watch.catch(() => undefined)
  return { clock, stop, begun, seen, watch }
}

test('a check begins an interval after the last one began, whatever that one took', async (t) => {
  const { clock, begun } = watching(t, { checks: [WELL], tookMs: 4_000 })
  await clock.advance(35_000)
  assert.deepEqual(begun, [0, 10_000, 20_000, 30_000])
})

test('a check that takes longer than the interval is waited for, and the next one begins then', async (t) => {
  const { clock, begun } = watching(t, { checks: [WELL], tookMs: 15_000 })
  await clock.advance(40_000)
  assert.deepEqual(begun, [0, 15_000, 30_000])
})

test('chance moves the interval by a tenth at most', async (t) => {
  for (const [chance, second] of [
    [0, 9_000],
    [0.999_999, 11_000],
  ] as const) {
    const { clock, begun } = watching(t, { checks: [WELL], chance })
    await clock.advance(12_000)
    assert.equal(Math.round((begun[1] ?? 0) / 10) * 10, second)
  }
})

test('a check that the world fails is seen with its reason, and the next one waits longer each time', async (t) => {
  const { clock, begun, seen } = watching(t, { checks: [AWAY, AWAY, AWAY, AWAY, AWAY, WELL], chance: 0.999_999 })
  await clock.advance(400_000)
  const pauses = begun.slice(1).map((at, index) => Math.round((at - (begun[index] ?? 0)) / 1_000))
  assert.deepEqual(pauses.slice(0, 6), [11, 20, 40, 60, 60, 11])
  assert.deepEqual(seen[0], { trouble: 'the API server does not answer' })
  assert.equal(seen[5], WELL)
})

test('what is wrong from the beginning ends the watch; the same later is shown', async (t) => {
  const forbidden = new UserError('may not list services', { code: 'dns.forbidden' })
  const first = watching(t, { checks: [forbidden] })
  await first.clock.advance(0)
  await assert.rejects(first.watch, forbidden)
  const { clock, seen } = watching(t, { checks: [WELL, forbidden, WELL] })
  await clock.advance(40_000)
  assert.deepEqual(seen.slice(0, 3), [WELL, { trouble: 'may not list services' }, WELL])
})

test('a bug is no trouble of the world', async (t) => {
  const bug = new TypeError('undefined is not a function')
  const { clock, watch } = watching(t, { checks: [bug] })
  await clock.advance(0)
  await assert.rejects(watch, bug)
})

test('after its time no check begins, and the time is waited out', async (t) => {
  const { clock, begun, watch } = watching(t, { checks: [WELL], forMs: 25_000 })
  await clock.advance(24_000)
  assert.deepEqual([begun, clock.sleeping()], [[0, 10_000, 20_000], 1])
  await clock.advance(1_000)
  await watch
  assert.deepEqual([begun, clock.sleeping()], [[0, 10_000, 20_000], 0])
})

test('a check that hangs is given up after three minutes, and is no end of the watch', async (t) => {
  const { clock, seen } = watching(t, { checks: [WELL], tookMs: 3_600_000 })
  await clock.advance(181_000)
  assert.match((seen[0] as CheckTrouble).trouble, /did not answer within 180000 ms/)
})

test('a watch that is stopped while a check is under way leaves nothing behind', async (t) => {
  const { clock, stop, watch } = watching(t, { checks: [WELL], tookMs: 5_000 })
  await clock.advance(1_000)
  const enough = new Error('enough')
  stop.abort(enough)
  await assert.rejects(watch, enough)
  assert.equal(clock.sleeping(), 0)
})
