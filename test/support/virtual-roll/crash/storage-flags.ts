import type { ProgramEnd } from '../../../../src/ground/ports/programs.ts'

/** Flags of a cluster of storage, which programs set and unset, and what may not become of them. */
export class StorageFlags {
  readonly #set = new Set<string>()
  readonly #tell: (text: string) => void

  constructor(tell: (text: string) => void) {
    this.#tell = tell
  }

  program([word, flag = '']: readonly string[]): ProgramEnd {
    if (word === 'set') this.#set.add(flag)
    if (word === 'unset') this.#set.delete(flag)
    const isGood = word !== 'isSet' || this.#set.has(flag)
    return { kind: 'exited', exitCode: isGood ? 0 : 1, output: '' }
  }

  reboots(node: string): void {
    if (!this.#set.has(node) || !this.#set.has(`outer-${node}`)) this.#tell(`${node} was rebooted without its flags`)
  }

  end(): void {
    if (this.#set.size > 0) this.#tell(`flags are left: ${[...this.#set].join(', ')}`)
  }
}
