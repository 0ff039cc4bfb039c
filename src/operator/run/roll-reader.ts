import { isJsonObject } from '../../ground/model/json-object.ts'
import type { Refusals } from '../../ground/model/owned/refused-write.ts'
import type { OwnedObject } from '../../ground/model/owned-object.ts'
import { present } from '../../ground/model/present.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Objects } from '../../ground/ports/objects.ts'
import { fileWithRequests } from '../decide/file-with-requests.ts'
import { endOfStatus, isAtWork, isBegun } from '../decide/roll-answer.ts'
import type { RollObjectSnapshot } from '../decide/snapshot.ts'
import { fileName } from '../decide/wanted-objects.ts'
import { ROLL_PODS } from '../model/ended-pod.ts'
import type { RollJob } from '../model/roll-job.ts'
import { BEGUN_ANNOTATION, type RollObject } from '../model/roll-object.ts'
import { keepsOut, type PodEnd } from '../model/run-state.ts'
import type { FileOfRoll } from '../reading/file-faults.ts'
import type { RunSource } from '../reading/journal-runs.ts'
import type { RollCaches } from './roll-caches.ts'

interface ReaderParts {
  readonly caches: RollCaches
  readonly objects: Pick<Objects, 'list'>
  readonly runs: RunSource
  readonly clock: Pick<Clock, 'wallMs'>
  /** Checks a file. */
  readonly fileOf: (name: string, spec: Readonly<Record<string, unknown>>) => FileOfRoll
}

/** The input of a pass. */
export interface RollSeen {
  readonly snapshot: RollObjectSnapshot
  /** The text of its roll file; empty where that is refused. */
  readonly file: string
}

const NO_REFUSALS: Refusals = new Map()

/** Makes the snapshot of a Roll. */
export class RollReader {
  readonly #parts: ReaderParts
  /** A pass of one Roll asks whether the older ones wait, and to check a large file takes a second. */
  readonly #files = new WeakMap<RollObject, FileOfRoll>()

  constructor(parts: ReaderParts) {
    this.#parts = parts
  }

  async of(roll: RollObject, refusals: Refusals | undefined, signal: AbortSignal): Promise<RollSeen> {
    const { caches, clock } = this.#parts
    const jobs = caches.jobsOf(roll)
    const file = this.#fileOf(roll)
    const [read, podEnd] = await Promise.all([this.#runOf(roll, jobs), this.#podEndOf(roll, jobs, signal)])
    const faults = 'faults' in file ? file.faults : []
    const text = 'text' in file ? file.text : ''
    const made = caches.fileOf(fileName(roll), roll)
    const found = read === undefined || 'fault' in read ? { journalFault: read?.fault } : { run: read }
    return {
      snapshot: {
        now: clock.wallMs(),
        isFresh: caches.isFresh(),
        roll,
        faults,
        hasFile: made !== undefined,
        isEdited: made !== undefined && textIn(made) !== text,
        jobs,
        ...present({ ...found, podEnd, goesFirst: this.#goesFirst(roll) }),
        refusals: refusals ?? NO_REFUSALS,
      },
      file: text,
    }
  }

  #fileOf(roll: RollObject): FileOfRoll {
    const known = this.#files.get(roll)
    if (known !== undefined) return known
    const file = this.#parts.fileOf(roll.name, fileWithRequests(roll))
    this.#files.set(roll, file)
    return file
  }

  async #runOf(roll: RollObject, jobs: readonly RollJob[]): ReturnType<RunSource['of']> {
    if (endOfStatus(roll, jobs) !== undefined) return undefined
    const { run } = roll.status.fields
    const known = typeof run === 'string' ? run : undefined
    if (known === undefined && !isBegun(roll, jobs)) return undefined
    return this.#parts.runs.of(roll.uid, known)
  }

  async #podEndOf(roll: RollObject, jobs: readonly RollJob[], signal: AbortSignal): Promise<PodEnd | undefined> {
    const job = jobs.at(-1)
    if (job?.state !== 'failed' || endOfStatus(roll, jobs) !== undefined) return undefined
    const { namespace, name } = job
    const labelSelector = `batch.kubernetes.io/job-name=${name}`
    const pods = await this.#parts.objects.list({ kind: ROLL_PODS, namespace, labelSelector }, signal)
    return pods.toSorted((one, other) => ((one.endedAt ?? '') < (other.endedAt ?? '') ? 1 : -1))[0]?.end
  }

  /** A Roll whose run has begun and has not ended; before the begin also one that has waited for longer. */
  #goesFirst(roll: RollObject): string | undefined {
    const { caches } = this.#parts
    const others = caches.rolls.objects().filter(({ uid }) => uid !== roll.uid)
    const own = caches.jobsOf(roll)
    const isNew = !isBegun(roll, own)
    // Two that were marked at the same time wait for each other's first Job by their age.
    const isLevel = (one: RollObject, jobs: readonly RollJob[]): boolean =>
      !isNew && own.length === 0 && jobs.length === 0 && one.status.fields.run === undefined
    const found = others.find((one) => {
      const jobs = caches.jobsOf(one)
      if (!isBegun(one, jobs)) return isNew && isOlder(one, roll) && this.#waits(one)
      return isUnderWay(one, jobs) && (!isLevel(one, jobs) || isOlder(one, roll))
    })
    return found?.name
  }

  #waits(roll: RollObject): boolean {
    const isFree = !roll.paused && !roll.abort && !roll.deleting && roll.annotations[BEGUN_ANNOTATION] === undefined
    return isFree && 'text' in this.#fileOf(roll)
  }
}

const textIn = ({ content }: OwnedObject): unknown =>
  isJsonObject(content.data) ? content.data['roll.yaml'] : undefined

/**
 * Its run may have nodes out. Without a Job it is about to get one. Not under way: a run that has ended and keeps no node out, whose Job only
 * begins pods that end at once; and a plan that was blocked.
 */
function isUnderWay({ status: { fields } }: RollObject, jobs: readonly RollJob[]): boolean {
  const { state, run, endedAt } = fields
  if (keepsOut(fields)) return true
  if (state === 'Succeeded' || state === 'Stopped' || state === 'Aborted') return false
  if (jobs.length === 0 || jobs.some(isAtWork)) return true
  return run !== undefined && endedAt === undefined
}

const isOlder = (one: RollObject, other: RollObject): boolean =>
  one.createdAt === other.createdAt ? one.name < other.name : one.createdAt < other.createdAt
