import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { waitFor } from './wait-for.ts'

const ROOT = '/sys/fs/cgroup'
const PREFIX = 'evenkeel-'

/** The cgroup of one node of a bed, as a path from the root of each hierarchy. */
export function nodeCgroup(bed: string, node: string): string {
  return `/${PREFIX}${bed}/${node}`
}

/**
 * All pods of a bed are one group, and the kernel shares processors out among such groups and sessions by their weights. With
 * the weight of one session, pods that serve a hundred requests a second stand still for seconds when other sessions are busy.
 */
const WEIGHT_OF_BED = { 'cpu.shares': '10240', 'cpu.weight': '1000' } as const

/**
 * Balancers and clients that run beside the nodes stand for machines too, and with the weight of one session they stand still for
 * seconds while control planes boot in pods. As heavy as four nodes, each of which has the kernel's default of a cgroup. The judge of a
 * test and keepalived have a real-time policy, which a cgroup of v1 allows only with a budget: 600 ms of each second. With 300 ms the judge
 * could not send some of its requests in time. One such bed at a time fits into the 950 ms of a machine.
 */
const OUTSIDE = 'outside'
const WEIGHT_OUTSIDE = { 'cpu.shares': '4096', 'cpu.weight': '400' } as const
const REAL_TIME = { 'cpu.rt_runtime_us': '600000' } as const

/** Makes a node's cgroup in every hierarchy, before kubelet looks for it. */
export function makeNodeCgroup(bed: string, node: string): void {
  for (const hierarchy of hierarchies()) {
    const ofBed = join(hierarchy, `${PREFIX}${bed}`)
    for (const folder of [ofBed, join(ofBed, node)]) {
      mkdirSync(folder, { recursive: true })
      inheritCpus(folder)
      delegate(folder)
    }
    weigh(ofBed, WEIGHT_OF_BED)
  }
}

/**
 * From now on this process, and what it starts, are what stands beside the nodes of a bed that is up. Returns the way back, to be gone
 * before the bed's cgroups are removed.
 */
export function standOutside(bed: string): () => void {
  const back: (() => void)[] = []
  for (const hierarchy of hierarchies()) {
    const ofBed = join(hierarchy, `${PREFIX}${bed}`)
    if (!Object.keys(WEIGHT_OF_BED).some((file) => existsSync(join(ofBed, file)))) continue
    const folder = join(ofBed, OUTSIDE)
    mkdirSync(folder, { recursive: true })
    weigh(ofBed, REAL_TIME)
    weigh(folder, { ...WEIGHT_OUTSIDE, ...REAL_TIME })
    const before = ownCgroup(hierarchy)
    const enter = (path: string): void => writeFileSync(join(path, 'cgroup.procs'), String(process.pid))
    enter(folder)
    back.push(() => enter(before))
  }
  return () => {
    for (const leave of back) leave()
  }
}

/** Of the hierarchies of cgroup v1 one alone knows of processors. */
function weigh(folder: string, values: Readonly<Record<string, string>>): void {
  for (const [file, value] of Object.entries(values)) {
    const path = join(folder, file)
    if (existsSync(path)) writeFileSync(path, value)
  }
}

/** Where this process is in a hierarchy: `4:memory:/path` for one of v1, `0::/path` for that of v2. */
function ownCgroup(hierarchy: string): string {
  const name = isV2(hierarchy) ? '' : basename(hierarchy)
  const lines = readFileSync('/proc/self/cgroup', 'utf8').trim().split('\n')
  const own = lines.map((line) => line.split(':')).find(([, controllers = '']) => controllers.split(',').includes(name))
  const path = join(hierarchy, own?.slice(2).join(':') ?? '/')
  return existsSync(path) ? path : hierarchy
}

/** Removes a node's cgroups. What ran in them is dead, but the kernel may take a moment to notice. */
export async function removeNodeCgroup(bed: string, node: string): Promise<void> {
  const folders = hierarchies().map((hierarchy) => join(hierarchy, `${PREFIX}${bed}`, node))
  await waitFor({ what: `the cgroups of ${node} to empty`, limitMs: 10_000, everyMs: 20 }, () =>
    folders.map(removeTree).every(Boolean) ? true : undefined,
  )
}

/** Removes what a dead bed has left, as far as it is empty already. Says whether all of it is gone. */
export function removeBedCgroups(bed: string): boolean {
  return hierarchies()
    .map((hierarchy) => removeTree(join(hierarchy, `${PREFIX}${bed}`)))
    .every(Boolean)
}

/** The beds that have cgroups on this machine, alive or not. */
export function bedsWithCgroups(): string[] {
  const names = hierarchies().flatMap((hierarchy) => readdirSync(hierarchy).filter((name) => name.startsWith(PREFIX)))
  return [...new Set(names)].map((name) => name.slice(PREFIX.length))
}

/** The one hierarchy of cgroup v2, or those of v1, which lie side by side. */
function hierarchies(): string[] {
  if (isV2(ROOT)) return [ROOT]
  return readdirSync(ROOT)
    .map((name) => join(ROOT, name))
    .filter((folder) => existsSync(join(folder, 'cgroup.procs')))
}

function isV2(hierarchy: string): boolean {
  return existsSync(join(hierarchy, 'cgroup.controllers'))
}

/** A new v1 cpuset has no CPUs and can hold no process. */
function inheritCpus(folder: string): void {
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    const above = join(folder, '..', file)
    if (!isV2(folder) && existsSync(above)) writeFileSync(join(folder, file), readFileSync(above))
  }
}

/** A v2 cgroup has only those controllers that the one above hands down. */
function delegate(folder: string): void {
  if (!isV2(folder)) return
  const above = join(folder, '..')
  for (const controller of readFileSync(join(above, 'cgroup.controllers'), 'utf8').trim().split(' ')) {
    if (controller !== '') writeFileSync(join(above, 'cgroup.subtree_control'), `+${controller}`)
  }
}

/** Another bed that comes up may be clearing the same dead one away: what is gone already is as good as removed. */
function removeTree(folder: string): boolean {
  try {
    const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    if (!below.map((entry) => removeTree(join(folder, entry.name))).every(Boolean)) return false
    rmdirSync(folder)
    return true
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT') return true
    if (code === 'EBUSY') return false
    throw error
  }
}
