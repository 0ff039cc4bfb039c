import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheRoot } from '../build/cache-root.ts'
import { bedsWithCgroups, removeBedCgroups } from '../machine/cgroups.ts'
import { identityOf, isAlive, type ProcessIdentity } from '../machine/process-identity.ts'

/** The machine's list of beds, whichever process runs them. The path is short because sockets lie below it. */
const REGISTRY = '/run/evenkeel-testbed'
const ENTRY = 'bed.json'
/** The registry does not outlive the machine's boot, but disks of beds do; this file tells them apart. */
const MACHINE_BOOT = 'machine-boot-id'

interface Entry {
  /** The process that owns the bed: the bed ends with it. */
  readonly owner: ProcessIdentity
  readonly disk: string
}

export interface BedFolders {
  readonly runtime: string
  readonly disk: string
}

/** Takes a name for a bed of this process and makes its two folders; throws where a live bed has the name. */
export function registerBed(name: string): BedFolders {
  const runtime = runtimeFolder(name)
  const disk = join(disksFolder(), name)
  const owner = identityOf(process.pid)
  if (owner === undefined) throw new Error('/proc does not show this process')
  const unfinished = join(REGISTRY, `.${name}.${process.pid}`)
  mkdirSync(unfinished, { recursive: true, mode: 0o700 })
  const entry: Entry = { owner, disk }
  writeFileSync(join(unfinished, ENTRY), JSON.stringify(entry))
  try {
    renameSync(unfinished, runtime)
  } catch {
    rmSync(unfinished, { recursive: true, force: true })
    throw new Error(`a bed named ${name} is up already`)
  }
  mkdirSync(disk, { recursive: true, mode: 0o700 })
  writeFileSync(join(disk, MACHINE_BOOT), machineBootId())
  return { runtime, disk }
}

/** Removes what a bed whose processes are gone has on this machine. */
export function removeBed(name: string, disk: string): void {
  removeBedCgroups(name)
  rmSync(disk, { recursive: true, force: true })
  rmSync(runtimeFolder(name), { recursive: true, force: true })
}

/** Removes what beds have left whose owner was killed: their folders, and cgroups, which nothing else takes away. */
export function sweepDeadBeds(): void {
  const names = existsSync(REGISTRY) ? readdirSync(REGISTRY).filter((name) => !name.startsWith('.')) : []
  for (const name of names) {
    const entry = readEntry(name)
    if (entry !== undefined && !isAlive(entry.owner)) removeBed(name, entry.disk)
  }
  for (const name of bedsWithCgroups()) {
    if (!existsSync(runtimeFolder(name))) removeBedCgroups(name)
  }
  const disks = existsSync(disksFolder()) ? readdirSync(disksFolder()) : []
  for (const disk of disks.map((name) => join(disksFolder(), name))) {
    if (isOfEarlierMachineBoot(disk)) rmSync(disk, { recursive: true, force: true })
  }
}

/** A live bed's folders and owner, or undefined where none has this name. */
export function findBed(name: string): (BedFolders & { readonly owner: ProcessIdentity }) | undefined {
  const entry = readEntry(name)
  if (entry === undefined || !isAlive(entry.owner)) return undefined
  return { runtime: runtimeFolder(name), disk: entry.disk, owner: entry.owner }
}

function runtimeFolder(name: string): string {
  return join(REGISTRY, name)
}

function disksFolder(): string {
  return join(cacheRoot(), 'beds')
}

function isOfEarlierMachineBoot(disk: string): boolean {
  try {
    return readFileSync(join(disk, MACHINE_BOOT), 'utf8') !== machineBootId()
  } catch {
    // Being made, or being removed: by a process of this boot in either case.
    return false
  }
}

function machineBootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')
}

function readEntry(name: string): Entry | undefined {
  try {
    const entry: Entry = JSON.parse(readFileSync(join(runtimeFolder(name), ENTRY), 'utf8'))
    return entry
  } catch {
    // Removed this instant by its owner.
    return undefined
  }
}
