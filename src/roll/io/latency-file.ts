import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LatencySecond } from '../model/latency-second.ts'

const LATENCY_FILE = 'latency.jsonl'

/**
 * The latency of each second of a run, in a file beside its journal. Only reports read it, so it is not synced, and a failed
 * write stops nothing.
 */
export class LatencyFile {
  readonly #path: string
  readonly #onFailure: (reason: string) => void
  #hasFailed = false
  #turn: Promise<void> = Promise.resolve()

  /** `onFailure` is called once. */
  constructor(directory: string, onFailure: (reason: string) => void) {
    this.#path = join(directory, LATENCY_FILE)
    this.#onFailure = onFailure
  }

  append(seconds: readonly LatencySecond[]): void {
    if (seconds.length === 0 || this.#hasFailed) return
    const text = seconds.map((second) => `${JSON.stringify(second)}\n`).join('')
    this.#turn = this.#turn.then(() => this.#write(text))
  }

  /** Waits until everything is written. */
  async flushed(): Promise<void> {
    await this.#turn
  }

  async #write(text: string): Promise<void> {
    try {
      await appendFile(this.#path, text, { mode: 0o600 })
    } catch (error) {
      if (!this.#hasFailed) this.#onFailure(error instanceof Error ? error.message : String(error))
      this.#hasFailed = true
    }
  }
}

/**
 * The latency of each second, from the file beside a journal. Skips lines that cannot be read; empty if the file is missing, or the
 * journal has no directory.
 */
export async function readLatency(directory: string | undefined): Promise<readonly LatencySecond[]> {
  const text = (await readLatencyText(directory)) ?? ''
  return text.split('\n').flatMap((line) => secondOf(line) ?? [])
}

/** The text of that file; absent where it cannot be read. */
export async function readLatencyText(directory: string | undefined): Promise<string | undefined> {
  if (directory === undefined) return undefined
  try {
    return await readFile(join(directory, LATENCY_FILE), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error) return undefined
    throw error
  }
}

function secondOf(line: string): LatencySecond | undefined {
  try {
    const value: unknown = JSON.parse(line)
    return isSecond(value) ? value : undefined
  } catch {
    // A process that was killed may leave half a line.
    return undefined
  }
}

function isSecond(value: unknown): value is LatencySecond {
  if (typeof value !== 'object' || value === null) return false
  const { at, good, failed, p50Ms, p99Ms, maxMs } = value as Readonly<Record<string, unknown>>
  const isCount = (count: unknown): boolean => typeof count === 'number' && count >= 0
  const isTime = (ms: unknown): boolean => ms === null || isCount(ms)
  const isStamp = typeof at === 'string' && !Number.isNaN(Date.parse(at))
  return isStamp && [good, failed].every(isCount) && [p50Ms, p99Ms, maxMs].every(isTime)
}
