import { type FileHandle, open, stat } from 'node:fs/promises'

const CHUNK = 1_048_576
const NEWLINE = 10

/** The lines that a log got since it was read last, also where it was renamed in between once it was long, and begun anew. */
export class AppendedLines {
  readonly #path: string
  readonly #buffer = Buffer.alloc(CHUNK)
  #file: FileHandle | undefined
  /** A line that is not whole yet. */
  #begun = Buffer.alloc(0)

  constructor(path: string) {
    this.#path = path
  }

  /** Shows some whole lines at a time. Where the log is renamed twice between two calls, the lines of one file are missed. */
  async read(show: (lines: string) => void): Promise<void> {
    for (;;) {
      this.#file ??= await open(this.#path)
      // Asked first: what was written before the new file began is read below.
      const isOver = await this.#isRenamed(this.#file)
      await this.#readOn(this.#file, show)
      if (!isOver) return
      await this.close()
    }
  }

  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }

  async #isRenamed(file: FileHandle): Promise<boolean> {
    const now = await stat(this.#path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    return now !== undefined && now.ino !== (await file.stat()).ino
  }

  async #readOn(file: FileHandle, show: (lines: string) => void): Promise<void> {
    for (;;) {
      const { bytesRead } = await file.read(this.#buffer, 0, CHUNK)
      if (bytesRead === 0) return
      const bytes = Buffer.concat([this.#begun, this.#buffer.subarray(0, bytesRead)])
      const end = bytes.lastIndexOf(NEWLINE) + 1
      this.#begun = bytes.subarray(end)
      if (end > 0) show(bytes.toString('utf8', 0, end))
    }
  }
}
