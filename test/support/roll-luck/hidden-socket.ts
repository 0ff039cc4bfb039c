import { existsSync, renameSync } from 'node:fs'

/** HAProxy's runtime socket, put out of the reach of every client and back. The process behind it and its traffic go on. */
export class HiddenSocket {
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  hide(): void {
    renameSync(this.#path, `${this.#path}.away`)
  }

  show(): void {
    if (existsSync(`${this.#path}.away`)) renameSync(`${this.#path}.away`, this.#path)
  }
}
