import { rename, rm, stat, writeFile } from 'node:fs/promises'
import { UserError } from '../model/user-error.ts'

/** A file of metrics for the textfile collector of node_exporter, which must never read half a file. */
export class TextfileMetrics {
  readonly #path: string
  readonly #onFailure: (reason: string) => void
  #hasFailed = false

  /** `onFailure` is called once. */
  constructor(path: string, onFailure: (reason: string) => void) {
    this.#path = path
    this.#onFailure = onFailure
  }

  /** Rejects with UserError where the file cannot be written. The file of an earlier roll stays until there is something new. */
  async check(): Promise<void> {
    try {
      const there = await stat(this.#path).catch(() => undefined)
      if (there?.isDirectory()) throw new Error('it is a directory')
      const next = `${this.#path}.tmp`
      await rm(next, { force: true })
      await writeFile(next, '', { flag: 'wx', mode: 0o644 })
      await rm(next)
    } catch (cause) {
      throw new UserError(`cannot write ${this.#path}: ${textOf(cause)}`, {
        code: 'file.write',
        fix: 'name a file that can be written, in a directory that exists',
        cause,
      })
    }
  }

  async replace(text: string): Promise<void> {
    try {
      await this.#write(text)
    } catch (error) {
      if (!this.#hasFailed) this.#onFailure(`cannot write the metrics to ${this.#path}: ${textOf(error)}`)
      this.#hasFailed = true
    }
  }

  /** node_exporter is another user; a link with that name is not followed. */
  async #write(text: string): Promise<void> {
    const next = `${this.#path}.tmp`
    await rm(next, { force: true })
    await writeFile(next, text, { flag: 'wx', mode: 0o644 })
    await rename(next, this.#path)
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
