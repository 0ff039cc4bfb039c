import { backoffMs } from '../../ground/kube/backoff.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { type Retry, WorldError } from '../../ground/model/world-error.ts'
import type { Clock } from '../../ground/ports/clock.ts'
import type { Random } from '../../ground/ports/random.ts'
import type { JournalEntry, JournalHeader, OpenJournal } from '../ports/journal.ts'
import type { RunLock } from '../ports/run-lock.ts'
import { type JournalSegments, type SegmentContent, storedBytes } from './journal-segments.ts'

/** A segment with so much text is closed: compressed it has a tenth of it. */
const SEGMENT_BYTES = 64 * 1024
/** 1 MiB, less the rest of the object. */
const OBJECT_BYTES_MAX = 1_000_000
/** How long an append is tried again, if the one before it was stored. */
const PATIENCE_MS = 15_000
/** Refused, and not done. After any other error the write may have been done, or may still be. */
const NOT_DONE: ReadonlySet<string> = new Set(['KUBE_FORBIDDEN', 'KUBE_INVALID', 'KUBE_UNAUTHORIZED'])
const NEVER = new AbortController().signal

/** The segment that takes the next lines. */
interface LastSegment {
  readonly index: number
  /** Of our own last write; empty: it has to be created. */
  readonly version: string
  /** All that was acknowledged of it. */
  readonly bytes: Buffer
  readonly isClosed: boolean
}

interface ConfigMapJournalParts {
  readonly path: string
  readonly segments: JournalSegments
  readonly lock: RunLock
  readonly clock: Clock
  readonly random: Random
  readonly header: JournalHeader
  readonly entries: readonly JournalEntry[]
  readonly last: LastSegment
  readonly cutBytes: number
}

interface Waiting {
  readonly line: Buffer
  resolve(): void
  reject(error: unknown): void
}

/**
 * One journal in ConfigMaps. Each write is one request, which names the version of our own last one: so it is done as a whole or not
 * at all, and not after another process has opened the run. What is appended while a write is under way goes together in the next one.
 */
export class ConfigMapJournal implements OpenJournal {
  readonly run: string
  readonly path: string
  readonly header: JournalHeader
  readonly entries: readonly JournalEntry[]
  readonly cutBytes: number
  readonly lost: AbortSignal
  readonly #parts: ConfigMapJournalParts
  readonly #lost = new AbortController()
  #last: LastSegment
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined
  /** The last append was rejected: the next one is tried once. */
  #hasFailed = false

  constructor(parts: ConfigMapJournalParts) {
    const { path, header, entries, cutBytes, last, lock } = parts
    this.run = header.run
    this.path = path
    this.header = header
    this.entries = entries
    this.cutBytes = cutBytes
    this.lost = AbortSignal.any([this.#lost.signal, lock.lost])
    this.#parts = parts
    this.#last = last
  }

  append(entry: JournalEntry): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.push({ line: Buffer.from(`${JSON.stringify(entry)}\n`), resolve, reject })
    this.#writing ??= this.#drain()
    return promise
  }

  async close(): Promise<void> {
    await this.#writing
    await this.#parts.lock.release()
  }

  async #drain(): Promise<void> {
    // What is appended in the same turn goes together.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const batch = this.#nextBatch()
      try {
        await this.#write(Buffer.concat(batch.map(({ line }) => line)))
        this.#hasFailed = false
        for (const { resolve } of batch) resolve()
      } catch (error) {
        this.#hasFailed = true
        for (const { reject } of [...batch, ...this.#waiting.splice(0)]) reject(error)
      }
    }
    this.#writing = undefined
  }

  /** As many as a segment has room for. A larger entry goes alone. */
  #nextBatch(): readonly Waiting[] {
    let bytes = 0
    const end = this.#waiting.findIndex(({ line }, at) => {
      bytes += line.length
      return at > 0 && bytes > SEGMENT_BYTES
    })
    return this.#waiting.splice(0, end < 0 ? this.#waiting.length : end)
  }

  async #write(lines: Buffer): Promise<void> {
    if (this.#last.isClosed) this.#beginNext()
    let whole = contentOf(Buffer.concat([this.#last.bytes, lines]))
    if (storedBytes(whole) > OBJECT_BYTES_MAX && this.#last.bytes.length > 0) {
      await this.#store({ bytes: this.#last.bytes, isClosed: true })
      this.#beginNext()
      whole = contentOf(lines)
    }
    const size = storedBytes(whole)
    if (size > OBJECT_BYTES_MAX)
      throw this.#refused(`an entry of ${lines.length} bytes is too large for a ConfigMap`, 'never')
    await this.#store(whole)
  }

  #beginNext(): void {
    this.#last = { index: this.#last.index + 1, version: '', bytes: Buffer.alloc(0), isClosed: false }
  }

  /** What of an earlier write arrives late is written over: only what was acknowledged, and these lines, are in it. */
  async #store(content: Omit<SegmentContent, 'holder'>): Promise<void> {
    const { clock, random } = this.#parts
    const until = clock.monoMs() + (this.#hasFailed ? 0 : PATIENCE_MS)
    for (let failures = 1; ; failures += 1) {
      this.#mustBeOurs()
      const error = await this.#tried(content)
      if (error === undefined) return
      const pauseMs = Math.max(backoffMs(failures, random.next()), error.retryAfterMs ?? 0)
      const isLate = clock.monoMs() + pauseMs > until
      // A conflict that was resolved is tried again at once, also by an append that is tried once.
      const isResolved = error.code === 'KUBE_CONFLICT' && failures < 3
      if (NOT_DONE.has(error.code) || (isLate && !isResolved)) throw this.#refused(error.message, 'backoff', error)
      if (!isResolved) await clock.sleep(pauseMs, NEVER)
    }
  }

  /** One try; undefined: it is stored. Rejects where no further try can help. */
  async #tried(content: Omit<SegmentContent, 'holder'>): Promise<WorldError | undefined> {
    const { segments, lock } = this.#parts
    const { index, version } = this.#last
    const [name, whole] = [
      { run: this.run, index },
      { ...content, holder: lock.holder },
    ]
    try {
      const written = version === '' ? segments.create(name, whole) : segments.replace(name, version, whole)
      this.#last = { ...content, index, version: await written }
      return undefined
    } catch (error) {
      if (!(error instanceof WorldError)) throw error
      return NOT_DONE.has(error.code) || (await this.#adopted(content)) === false ? error : undefined
    }
  }

  /** What became of a write without an answer, or with another version in its place. True: it was done. */
  async #adopted(content: Omit<SegmentContent, 'holder'>): Promise<boolean> {
    const { segments, lock } = this.#parts
    const { index, version } = this.#last
    const found = await segments.read({ run: this.run, index }).catch((error: unknown) => {
      if (error instanceof WorldError) return 'unread' as const
      throw error
    })
    if (found === 'unread') return false
    if (found === undefined && version === '') return false
    if (found === undefined) throw this.#refused(`its ConfigMap ${index} was removed`, 'never')
    if (found.holder !== lock.holder) throw this.#isLost()
    const isDone = found.bytes?.equals(content.bytes) === true && found.isClosed === content.isClosed
    this.#last = { ...(isDone ? content : this.#last), index, version: found.version }
    return isDone
  }

  #mustBeOurs(): void {
    const { lock } = this.#parts
    if (this.lost.aborted) throw this.#isLost()
    if (!lock.mayAct()) throw this.#refused(`the Lease of run ${this.run} could not be renewed`, 'backoff')
  }

  #isLost(): WorldError {
    const text = `another process has taken over run ${this.run}`
    const reason = new UserError(text, { code: 'journal.in-use' })
    this.#lost.abort(reason)
    return this.#refused(text, 'never')
  }

  #refused(why: string, retry: Retry, cause?: WorldError): WorldError {
    return new WorldError(`cannot write the journal ${this.path}: ${why}`, { code: 'JOURNAL_WRITE', retry, cause })
  }
}

const contentOf = (bytes: Buffer): Omit<SegmentContent, 'holder'> => ({
  bytes,
  isClosed: bytes.length >= SEGMENT_BYTES,
})
