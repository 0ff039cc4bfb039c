import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseKubeYaml } from '../../src/ground/kube/kube-yaml.ts'
import { systemClock as clock } from '../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../src/ground/machine/system-random.ts'
import { isJsonObject } from '../../src/ground/model/json-object.ts'
import { UserError } from '../../src/ground/model/user-error.ts'
import { templateFaults } from '../../src/operator/decide/wanted-objects.ts'
import { fileOfRoll } from '../../src/operator/reading/file-faults.ts'
import { JournalRuns } from '../../src/operator/reading/journal-runs.ts'
import { scheduleFaults, scheduleTimes } from '../../src/operator/reading/schedule-times.ts'
import { RollLoop } from '../../src/operator/run/roll-loop.ts'
import { ScheduleLoop } from '../../src/operator/run/schedule-loop.ts'
import { configMapJournals } from '../roll/world.ts'
import type { RollLoopOptions } from './controller-options.ts'
import { type LoopPlace, loopParts } from './loop-parts.ts'
import { type FleetLockService, openFleetLock } from './open-fleet-lock.ts'

const JOB_FILE = 'job.yaml'
const ALLOWED_FILE = 'allowed.yaml'

interface RollLoopsPlace extends LoopPlace {
  readonly rolls: RollLoopOptions
  /** To listen at; absent: all. */
  readonly address?: string | undefined
}

interface RollLoops {
  readonly rolls: RollLoop
  readonly schedules: ScheduleLoop
  readonly fleetLock?: FleetLockService
}

/** The loops of Rolls and RollSchedules, in the namespace of the controller. Throws UserError where the files of the directory are wrong. */
export async function openRollLoops({
  rolls: { directory, fleetLock },
  address,
  ...place
}: RollLoopsPlace): Promise<RollLoops> {
  const { namespace } = place.lease
  const template = await templateOf(join(directory, JOB_FILE))
  const allowed = await allowedOf(join(directory, ALLOWED_FILE))
  const schedules = new ScheduleLoop({
    ...{ ...loopParts(place, namespace), namespace },
    faultsOf: (schedule) => scheduleFaults(schedule, allowed),
    timesOf: scheduleTimes,
  })
  const rolls = rollLoopOf(place, { template, allowed })
  if (fleetLock === undefined) return { rolls, schedules }
  return { rolls, schedules, fleetLock: await openFleetLock(place, { ...fleetLock, address, allowed }) }
}

interface OfAdministrator {
  /** The `spec` of the Job of a run. */
  readonly template: Readonly<Record<string, unknown>>
  /** What Rolls may name. */
  readonly allowed: readonly unknown[]
}

/** The loop of Rolls alone. */
export function rollLoopOf(place: LoopPlace, { template, allowed }: OfAdministrator): RollLoop {
  const { namespace } = place.lease
  const journals = configMapJournals(namespace, async () => ({ client: place.client, clock, random, log: place.log }))
  return new RollLoop({
    ...{ ...loopParts(place, namespace), namespace, template },
    runs: new JournalRuns(journals),
    fileOf: (name, spec) => fileOfRoll(name, spec, allowed),
  })
}

/** The `spec` of the Job in that file. */
async function templateOf(path: string): Promise<Readonly<Record<string, unknown>>> {
  const job = await yamlOf(path)
  if (job === undefined)
    throw refused(path, 'it is not there', 'write the Job of a run, as in deploy/examples/roll-job.yaml')
  const spec = isJsonObject(job) ? job.spec : undefined
  if (!isJsonObject(spec))
    throw refused(path, 'it has no spec', 'write a Job with a container named roll, and restartPolicy: Never')
  const [fault] = templateFaults(spec)
  if (fault !== undefined) throw refused(path, fault.text, fault.fix)
  return spec
}

async function allowedOf(path: string): Promise<readonly unknown[]> {
  const allowed = (await yamlOf(path)) ?? []
  if (Array.isArray(allowed)) return allowed
  throw refused(path, 'it is not a list', 'write a list of texts, and of lists of arguments')
}

async function yamlOf(path: string): Promise<unknown> {
  let bytes: Buffer
  try {
    bytes = await readFile(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw refused(path, error instanceof Error ? error.message : String(error), 'mount a directory that can be read')
  }
  try {
    return parseKubeYaml(bytes)
  } catch (error) {
    throw refused(path, error instanceof Error ? error.message : String(error), 'write YAML')
  }
}

const refused = (path: string, why: string, fix: string): UserError =>
  new UserError(`--rolls: ${path} cannot be used: ${why}`, { code: 'CONTROLLER_OPTIONS', fix })
