import { isRunName } from '../../ground/model/run-name.ts'
import { kubectl, say } from '../../ground/model/sentence.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { WorldError } from '../../ground/model/world-error.ts'
import type { Random } from '../../ground/ports/random.ts'
import { placeText } from '../model/journal-place.ts'
import type { JournalBeginning, JournalStore, OpenJournal, StoredJournal, StoredRun } from '../ports/journal.ts'
import type { RunLock, RunLocks } from '../ports/run-lock.ts'
import { ConfigMapJournal } from './config-map-journal.ts'
import {
  checkCluster,
  checked,
  checkedHeader,
  damaged,
  headerOf,
  newestFirst,
  runExists,
  runInUse,
  unknownRun,
  type Where,
} from './journal-checks.ts'
import { parseJournalLines } from './journal-lines.ts'
import {
  isStorable,
  JournalSegments,
  objectName,
  RUN_LABEL,
  type Segment,
  type SegmentName,
  type SegmentParts,
} from './journal-segments.ts'

interface Parts extends SegmentParts {
  readonly locks: RunLocks
  readonly random: Random
}

/** Of an opening against a process that still writes: each time the segment has changed, it is read again. */
const OPENINGS_MAX = 5
const NEVER = new AbortController().signal
/** Not known here: the Lease has it. */
const SLOT_MS = 0

/** Journals as ConfigMaps of one namespace, `evenkeel-run-RUN-0` and so on. The Lease `evenkeel-run-RUN` says which process has the run. */
export class ConfigMapJournalStore implements JournalStore {
  readonly directory: string
  readonly #open: () => Promise<Parts>
  readonly #namespace: string
  #opened: Promise<Parts> | undefined

  /** `open`: the way to the cluster, asked for at the first call. */
  constructor(namespace: string, open: () => Promise<Parts>) {
    this.#namespace = namespace
    this.directory = placeText(namespace)
    this.#open = open
  }

  async create(beginning: JournalBeginning, slotMs = SLOT_MS): Promise<OpenJournal> {
    const header = headerOf(beginning)
    const { run } = header
    const { locks, segments } = await this.#parts()
    if (!isStorable(run)) throw unknownRun(run, this.directory)
    return this.#asked(async () => {
      const lock = await locks.take(run, slotMs, NEVER)
      if (lock === undefined) throw runInUse(run)
      return released(lock, async () => {
        if ((await segments.list(run)).length > 0) throw runExists(run, this.pathOf(run))
        const last = { index: 0, version: '', bytes: Buffer.alloc(0), isClosed: false }
        const journal = await this.#journal({ lock, header, entries: [], last, cutBytes: 0 })
        await journal.append({ ...header })
        return journal
      })
    })
  }

  async open(
    run: string,
    cluster: string,
    { signal = NEVER, slotMs = SLOT_MS }: Parameters<JournalStore['open']>[2] = {},
  ): Promise<OpenJournal> {
    checkCluster((await this.read(run)).header, cluster)
    const { locks } = await this.#parts()
    return this.#asked(async () => {
      const lock = await locks.take(run, slotMs, signal)
      if (lock === undefined) throw runInUse(run)
      return released(lock, () => this.#reopened(run, cluster, lock))
    })
  }

  async read(run: string): Promise<StoredJournal> {
    return checked(parseJournalLines(await this.#bytes(run)), this.#where(run))
  }

  async text(run: string): Promise<string> {
    const found = await this.#listed(run)
    return found.map(({ bytes = '' }) => bytes.toString()).join('')
  }

  async runs(): Promise<readonly StoredRun[]> {
    const { segments } = await this.#parts()
    const [names, firsts] = await this.#asked(() => Promise.all([segments.names(), segments.list()]))
    const first = new Map(firsts.map((one) => [one.run, one]))
    const runs = [...new Set(names.map(({ run }) => run))].filter(isRunName)
    return runs.map((run) => this.#storedRun(run, first.get(run))).sort(newestFirst)
  }

  async inUse(run: string): Promise<boolean> {
    const { locks } = await this.#parts()
    return this.#asked(() => locks.isHeld(run))
  }

  pathOf(run: string): string {
    return `configmaps ${this.#namespace}/${objectName(run)}-*`
  }

  filesOf(): undefined {
    return undefined
  }

  /** From the first segment on: what is left of it after a failure is no journal that could be resumed. */
  async remove(run: string): Promise<void> {
    const { segments, locks } = await this.#parts()
    await this.#asked(async () => {
      for (const { index } of await segments.list(run)) await segments.remove({ run, index })
      await locks.remove(run)
    })
  }

  async #parts(): Promise<Parts & { readonly segments: JournalSegments }> {
    this.#opened ??= this.#open()
    const parts = await this.#opened
    return { ...parts, segments: new JournalSegments(parts) }
  }

  async #listed(run: string): Promise<readonly Segment[]> {
    if (!isStorable(run)) throw unknownRun(run, this.directory)
    const { segments } = await this.#parts()
    const found = await this.#asked(() => segments.list(run))
    if (found.length === 0) throw unknownRun(run, this.directory)
    return found
  }

  async #bytes(run: string): Promise<Buffer> {
    return this.#whole(run, await this.#listed(run))
  }

  #whole(run: string, found: readonly Segment[]): Buffer {
    const missing = found.findIndex(({ index }, at) => index !== at)
    if (missing >= 0) throw damaged(this.#where(run), `its ConfigMap ${missing} is missing`)
    return Buffer.concat(
      found.map(({ bytes, index }) => {
        if (bytes === undefined) throw damaged(this.#where(run), `its ConfigMap ${index} has no lines that can be read`)
        return bytes
      }),
    )
  }

  /** Writes our name into the last segment, so that no process that had the run before can write any more. */
  async #reopened(run: string, cluster: string, lock: RunLock): Promise<OpenJournal> {
    const { segments } = await this.#parts()
    for (let openings = 1; ; openings += 1) {
      const found = await this.#listed(run)
      const bytes = this.#whole(run, found)
      const lines = parseJournalLines(bytes)
      const { header, entries } = checked(lines, this.#where(run))
      checkCluster(header, cluster)
      const cutBytes = bytes.length - lines.goodBytes
      const last = found.at(-1) ?? NONE
      if (cutBytes > 0 && (last.isClosed || cutBytes > (last.bytes?.length ?? 0)))
        throw damaged(this.#where(run), 'a ConfigMap that was full ends in half a line')
      try {
        const last = await fenced(segments, found.at(-1), { cutBytes, holder: lock.holder })
        return await this.#journal({ lock, header, entries, last, cutBytes })
      } catch (error) {
        const isConflict = error instanceof WorldError && error.code === 'KUBE_CONFLICT'
        if (!isConflict || openings === OPENINGS_MAX) throw error
      }
    }
  }

  async #journal(
    opened: Pick<
      ConstructorParameters<typeof ConfigMapJournal>[0],
      'lock' | 'header' | 'entries' | 'last' | 'cutBytes'
    >,
  ): Promise<ConfigMapJournal> {
    const { segments, clock, random } = await this.#parts()
    const path = this.pathOf(opened.header.run)
    return new ConfigMapJournal({ ...opened, path, segments, clock, random })
  }

  #storedRun(run: string, first: Segment | undefined): StoredRun {
    try {
      const [line] = parseJournalLines(this.#whole(run, first === undefined ? [] : [first])).entries
      return { run, header: checkedHeader(line, this.#where(run)) }
    } catch (error) {
      return { run, problem: error instanceof Error ? error.message : String(error) }
    }
  }

  #where(run: string): Where {
    const remove = kubectl`-n ${this.#namespace} delete configmaps -l ${`${RUN_LABEL}=${run}`}`
    return { run, path: this.pathOf(run), repair: say`restore its ConfigMaps; or remove them: ${remove}` }
  }

  /** A missing right or namespace is for a person; so is one that a write was refused for. */
  async #asked<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      const refusal = error instanceof WorldError && error.code === 'JOURNAL_WRITE' ? error.cause : error
      if (!(refusal instanceof WorldError) || !PERSONS.has(refusal.code)) throw error
      throw new UserError(`cannot use ${this.directory} for the journal: ${refusal.message}`, {
        code: 'journal.state-dir',
        fix: 'let the namespace exist, and grant deploy/roll-journal-rbac.yaml there; or choose another place with --state-dir',
        cause: error,
      })
    }
  }
}

const PERSONS: ReadonlySet<string> = new Set(['KUBE_FORBIDDEN', 'KUBE_NOT_FOUND', 'KUBE_INVALID'])

/** A failure must not leave the run locked. */
async function released<T>(lock: RunLock, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await lock.release()
    throw error
  }
}

interface Fence {
  readonly holder: string
  /** The length of a torn last line, which is cut off. */
  readonly cutBytes: number
}

/**
 * After a closed segment, a process that had the run before would write the next one: so that one is created. KUBE_CONFLICT: it has
 * written since.
 */
async function fenced(segments: JournalSegments, last: Segment | undefined, { holder, cutBytes }: Fence) {
  const { run, index, version, isClosed, bytes = Buffer.alloc(0) } = last ?? NONE
  const next: SegmentName = { run, index: isClosed ? index + 1 : index }
  const content = { bytes: isClosed ? Buffer.alloc(0) : bytes.subarray(0, bytes.length - cutBytes), isClosed: false }
  const written = isClosed
    ? await segments.create(next, { ...content, holder })
    : await segments.replace(next, version, { ...content, holder })
  return { ...content, index: next.index, version: written }
}

const NONE = { run: '', index: 0, version: '', isClosed: false, bytes: undefined }
