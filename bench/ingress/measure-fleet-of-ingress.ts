import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { FleetApi } from './fleet-api.ts'
import type { IngressDocument } from './ingress-document.ts'
import type { IngressFleet } from './ingress-fleet.ts'
import { MeasuredController } from './measured-controller.ts'
import { RealFleetApi } from './real-fleet-api.ts'

interface FleetSize {
  readonly api: IngressDocument['api']
  readonly nodes: number
  readonly idleSeconds: number
  readonly cordons: number
}

interface Program {
  readonly path: string
  readonly flags: readonly string[]
  readonly way: IngressDocument['way']
}

const OPEN: Readonly<Record<IngressDocument['api'], (nodes: number) => Promise<IngressFleet>>> = {
  embedded: (nodes) => FleetApi.open(nodes),
  real: (nodes) => RealFleetApi.open(nodes),
}
const OBJECTS = ['web', 'internal']
/** Kubelets report their status so often where nothing changes (nodeStatusReportFrequency). */
const HEARTBEAT_S = 300
const LOOK_MS = 20
/** What is done after a write comes sooner. */
const AT_REST_MS = 1_500
const LIMIT_MS = 1_800_000

/** Of a cluster that is made anew for it, and of controllers that begin anew for each part. */
export async function measureFleetOfIngress(size: FleetSize, program: Program): Promise<IngressDocument> {
  const folder = await mkdtemp(join(tmpdir(), 'evenkeel-bench-'))
  const api = await OPEN[size.api](size.nodes)
  try {
    const kubeconfig = join(folder, 'kubeconfig')
    await writeFile(kubeconfig, api.kubeconfig, { mode: 0o600 })
    const made = await measureMaking(api, () =>
      MeasuredController.start({ ...program, flags: [], loop: 'ingress' }, kubeconfig, api),
    )
    const controller = await MeasuredController.start({ ...program, loop: 'ingress' }, kubeconfig, api)
    try {
      await until('the first pass of each object', async () => (await controller.queue()).passes >= OBJECTS.length)
      const firstPassMs = await controller.spentMs()
      await settled(api)
      const idle = await measureIdle(api, controller, size.idleSeconds)
      const cordon = await measureCordons(api, controller, size.cordons)
      const { pods } = api
      const fleet = { api: size.api, nodes: size.nodes, objects: OBJECTS.length, pods }
      return { bench: 'ingress', ...fleet, way: program.way, made, firstPassMs, idle, cordon }
    } finally {
      await controller.end()
    }
  } finally {
    await api.close()
    await rm(folder, { recursive: true, force: true })
  }
}

async function measureMaking(
  api: IngressFleet,
  start: () => Promise<MeasuredController>,
): Promise<IngressDocument['made']> {
  const beganMs = performance.now()
  const controller = await start()
  try {
    for (const name of OBJECTS) await api.addObject(name)
    await until('every node in service', () => api.isSettled())
    const seconds = rounded((performance.now() - beganMs) / 1_000)
    const processorMs = await controller.spentMs()
    const writesPerNode = rounded((await api.writes()) / api.nodes.length)
    return { seconds, processorMs, writesPerNode }
  } finally {
    await controller.end()
  }
}

/** Neither the controller nor a controller of the cluster writes any more. */
async function settled(api: IngressFleet): Promise<void> {
  let [before, sinceMs] = [-1, 0]
  await until('a controller at rest', async () => {
    const now = (await api.writes()) + api.changes
    if (now !== before) sinceMs = performance.now()
    before = now
    return performance.now() - sinceMs > AT_REST_MS && (await api.isSettled())
  })
}

async function measureIdle(
  api: IngressFleet,
  controller: MeasuredController,
  seconds: number,
): Promise<IngressDocument['idle']> {
  const [spentBefore, writesBefore, beganMs] = [await controller.spentMs(), await api.writes(), performance.now()]
  const perSecond = api.nodes.length / HEARTBEAT_S
  let beats = 0
  await until('the end of the idle time', async () => {
    const elapsedS = (performance.now() - beganMs) / 1_000
    for (; beats < elapsedS * perSecond; beats += 1) await api.heartbeat(api.nodes[beats % api.nodes.length] ?? '')
    return elapsedS >= seconds
  })
  const elapsedMs = performance.now() - beganMs
  const percent = rounded((100 * ((await controller.spentMs()) - spentBefore)) / elapsedMs)
  return { seconds, percent, writes: (await api.writes()) - writesBefore, residentMb: await controller.residentMb() }
}

/** One node after the other is cordoned, leaves, and comes back. */
async function measureCordons(
  api: IngressFleet,
  controller: MeasuredController,
  count: number,
): Promise<IngressDocument['cordon']> {
  const times: number[] = []
  const spentBefore = await controller.spentMs()
  for (let at = 0; at < count; at += 1) {
    const node = api.nodes[(37 * at) % api.nodes.length] ?? ''
    const decided = new Map<string, number>()
    api.onStatus(({ object, nodes, atMs }) => {
      if (nodes.includes(node) && !decided.has(object)) decided.set(object, atMs)
    })
    const cordonedMs = await api.cordon(node, true)
    await until(`a decision about ${node}`, async () => decided.size === OBJECTS.length)
    times.push(Math.max(...decided.values()) - cordonedMs)
    await until(`${node} out of service`, async () => api.claimsOn(node) === OBJECTS.length)
    await api.cordon(node, false)
    await until(`${node} back in service`, async () => api.claimsOn(node) === 0)
    await settled(api)
  }
  const processorMs = rounded(((await controller.spentMs()) - spentBefore) / count)
  const sorted = times.toSorted((a, b) => a - b)
  const share = (part: number): number => rounded(sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN)
  return { count, p50Ms: share(0.5), p99Ms: share(0.99), maxMs: share(1), processorMs }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const beganMs = performance.now()
  while (!(await holds())) {
    if (performance.now() - beganMs > LIMIT_MS) throw new Error(`waited for ${what} for half an hour`)
    await pause(LOOK_MS)
  }
}

const rounded = (value: number): number => Math.round(value * 100) / 100
