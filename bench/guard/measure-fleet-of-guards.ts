import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { MeasuredController } from '../ingress/measured-controller.ts'
import type { GuardDocument } from './guard-document.ts'
import { GuardFleet } from './guard-fleet.ts'

interface FleetSize {
  readonly nodes: number
  readonly idleSeconds: number
  readonly cordons: number
}

interface Program {
  readonly path: string
  readonly flags: readonly string[]
}

const HOLDS = 5
/** Kubelets report their status so often where nothing changes (nodeStatusReportFrequency). */
const HEARTBEAT_S = 300
const LOOK_MS = 20
/** What is done after a write comes sooner. */
const AT_REST_MS = 1_000
const LIMIT_MS = 1_800_000

/** Of a cluster that is made anew for it, and of a controller that begins anew where all guards are there. */
export async function measureFleetOfGuards(size: FleetSize, program: Program): Promise<GuardDocument> {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-bench-'))
  const fleet = await GuardFleet.open(size.nodes)
  try {
    const kubeconfig = join(folder, 'kubeconfig')
    await writeFile(kubeconfig, fleet.server.kubeconfig, { mode: 0o600 })
    const start = (flags: readonly string[]): Promise<MeasuredController> =>
      MeasuredController.start({ path: program.path, flags, loop: 'guard' }, kubeconfig, fleet.server)
    const made = await measureMaking(fleet, () => start([]))
    const controller = await start(program.flags)
    try {
      await atRest(fleet, controller)
      const firstPassMs = await controller.spentMs()
      const idle = await measureIdle(fleet, controller, size.idleSeconds)
      const grant = await measureGrants(fleet, controller, size.cordons)
      return { bench: 'guard', nodes: size.nodes, holds: HOLDS, made, firstPassMs, idle, grant }
    } finally {
      await controller.end()
    }
  } finally {
    fleet.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureMaking(
  fleet: GuardFleet,
  start: () => Promise<MeasuredController>,
): Promise<GuardDocument['made']> {
  const beganMs = performance.now()
  const controller = await start()
  try {
    fleet.addGuard()
    await until('a guard on every node', async () => fleet.isSettled)
    const seconds = rounded((performance.now() - beganMs) / 1_000)
    return { seconds, writesPerNode: rounded(fleet.server.writes / fleet.server.nodes.length) }
  } finally {
    await controller.end()
  }
}

/** It has looked at all there is, and neither looks nor writes any more. */
async function atRest(fleet: GuardFleet, controller: MeasuredController): Promise<void> {
  let [before, sinceMs] = [-1, 0]
  await until('a controller at rest', async () => {
    const { passes, underWay } = await controller.queue()
    const now = passes + fleet.server.writes
    if (now !== before || passes === 0 || underWay > 0) sinceMs = performance.now()
    before = now
    return performance.now() - sinceMs > AT_REST_MS && fleet.isSettled
  })
}

async function measureIdle(
  { server }: GuardFleet,
  controller: MeasuredController,
  seconds: number,
): Promise<GuardDocument['idle']> {
  const [spentBefore, writesBefore, beganMs] = [await controller.spentMs(), server.writes, performance.now()]
  const perSecond = server.nodes.length / HEARTBEAT_S
  let beats = 0
  await until('the end of the idle time', async () => {
    const elapsedS = (performance.now() - beganMs) / 1_000
    for (; beats < elapsedS * perSecond; beats += 1) server.heartbeat(server.nodes[beats % server.nodes.length] ?? '')
    return elapsedS >= seconds
  })
  const elapsedMs = performance.now() - beganMs
  const percent = rounded((100 * ((await controller.spentMs()) - spentBefore)) / elapsedMs)
  return { seconds, percent, writes: server.writes - writesBefore, residentMb: await controller.residentMb() }
}

/** One node after the other is cordoned, granted, and uncordoned before any client evicts its guard. */
async function measureGrants(
  fleet: GuardFleet,
  controller: MeasuredController,
  count: number,
): Promise<GuardDocument['grant']> {
  const { server } = fleet
  const times: number[] = []
  const [spentBefore, writesBefore] = [await controller.spentMs(), server.writes]
  for (let at = 0; at < count; at += 1) {
    const node = server.nodes[(37 * at) % server.nodes.length] ?? ''
    let openedMs: number | undefined
    fleet.onOpened((name, atMs) => {
      if (name === node) openedMs ??= atMs
    })
    const cordonedMs = server.cordon(node, true)
    await until(`a grant of ${node}`, async () => openedMs !== undefined)
    times.push((openedMs ?? Number.NaN) - cordonedMs)
    server.cordon(node, false)
    await until(`${node} without a claim`, async () => server.claimsOn(node) === 0)
    await atRest(fleet, controller)
  }
  const processorMs = rounded(((await controller.spentMs()) - spentBefore) / count)
  const writes = rounded((server.writes - writesBefore) / count)
  const sorted = times.toSorted((a, b) => a - b)
  const share = (part: number): number => rounded(sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN)
  return { count, p50Ms: share(0.5), p99Ms: share(0.99), maxMs: share(1), processorMs, writes }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const beganMs = performance.now()
  while (!(await holds())) {
    if (performance.now() - beganMs > LIMIT_MS) throw new Error(`waited for ${what} for half an hour`)
    await pause(LOOK_MS)
  }
}

const rounded = (value: number): number => Math.round(value * 100) / 100
