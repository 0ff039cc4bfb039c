import type { FailureWindow, ProbeStatus, ProbeTarget, SlowSeconds } from '../../src/ground/model/probe.ts'
import { monoMs, wallMs } from '../../src/ground/model/time.ts'
import type { StepSpan } from '../../src/roll/decide/availability/attribution.ts'
import type { RollSnapshot } from '../../src/roll/decide/snapshot.ts'
import type { StopSpec } from '../../src/roll/model/stop-spec.ts'
import { out } from './roll-stages.ts'
import { aSnapshot, aSpec, NEW_BOOT } from './roll-world.ts'

export const SHOP: ProbeTarget = {
  name: 'shop',
  url: 'http://shop.test/',
  control: false,
  ratePerSecond: 100,
  keptShare: 0,
  keptConnections: 1,
  timeoutMs: 2_000,
  expectStatus: [200, 299],
  servedByHeader: 'x-served-by',
}
export const CONTROL: ProbeTarget = { ...SHOP, name: 'control', control: true, ratePerSecond: 1 }

export const aStep = (node: string, step: StepSpan['step'], from: number, to?: number): StepSpan => ({
  node,
  step,
  startedAt: wallMs(from),
  ...(to === undefined ? {} : { endedAt: wallMs(to) }),
})

/** `failed` requests to shop failed from one moment to another; all was well 20 ms before and after. */
export const aWindow = (
  failed: number,
  from: number,
  to = from,
  change: Partial<FailureWindow> = {},
): FailureWindow => ({
  target: 'shop',
  control: false,
  lane: 'new',
  sent: failed,
  failed,
  failures: { connect: failed },
  firstError: 'ECONNREFUSED',
  lastOkAt: wallMs(from - 20),
  firstBadAt: wallMs(from),
  lastBadAt: wallMs(to),
  firstOkAt: wallMs(to + 20),
  ...change,
})

export interface Found {
  readonly stop: Partial<StopSpec>
  readonly windows?: readonly FailureWindow[]
  readonly slow?: readonly SlowSeconds['seconds'][]
  readonly steps?: readonly StepSpan[]
  readonly world?: Parameters<typeof aSnapshot>[0]
  readonly run?: Partial<RollSnapshot['run']>
  readonly targets?: readonly ProbeTarget[]
  readonly wall?: number
}

/** A node that is out and drained, a roll that measures since 1 s, and what its probe has seen up to a minute. */
export function measured({
  stop,
  windows = [],
  slow = [],
  steps = [],
  world = out,
  run = {},
  targets,
  wall = 60_000,
}: Found) {
  const s = aSnapshot(world)
  const probe: ProbeStatus = {
    startedAt: wallMs(0),
    lastVerdictAt: wallMs(wall),
    settledBefore: wallMs(wall),
    lanes: [],
    windows,
    notMeasured: [],
    greenStreak: 0,
    slow: slow.map((seconds) => ({ target: 'shop', slowerThanMs: 500, seconds })),
  }
  const spec = aSpec({
    probe: { targets: targets ?? [SHOP], baselineMs: 10_000, baselineLimitMs: 60_000 },
    stop: { latency: [], downtime: [], ...stop },
  })
  return { ...s, spec, probe, steps, wall: wallMs(wall), run: { ...s.run, measuredSince: wallMs(1_000), ...run } }
}

/** Rebooted, and being put back since then. */
export const backAgain = (since: number) => ({
  ...out,
  node: { bootId: NEW_BOOT },
  evidence: { attachedAt: monoMs(999_000), attachingSince: monoMs(998_000), attachingSinceWall: wallMs(since) },
})
