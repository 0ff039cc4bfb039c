import { readFile } from 'node:fs/promises'
import { type Door, DoorFault } from '../ports/door.ts'
import { codeOf } from './below-root.ts'

interface SignalDoorParts {
  /** Of proc(5): the name of the first process. */
  readonly comm: string
  readonly kill: (pid: number, signal: number) => void
}

/** SIGRTMIN+5 of glibc, by which systemd reboots (systemd(1)). */
const REBOOT_SIGNAL = 34 + 5

/** A signal to systemd: this process needs the PIDs of the machine (hostPID) and user 0, who may signal what is root's without CAP_KILL. */
export class SignalDoor implements Door {
  readonly #parts: SignalDoorParts

  constructor(parts: SignalDoorParts) {
    this.#parts = parts
  }

  async fault(): Promise<string | undefined> {
    const { comm, kill } = this.#parts
    try {
      const name = (await readFile(comm, 'utf8')).trim()
      if (name !== 'systemd') return `process 1 is "${name.slice(0, 20)}", not systemd: give the pod hostPID`
      kill(1, 0)
      return undefined
    } catch (error) {
      return `systemd cannot be signalled: ${codeOf(error)}`
    }
  }

  async use(): Promise<void> {
    const fault = await this.fault()
    if (fault !== undefined) throw new DoorFault(fault)
    try {
      this.#parts.kill(1, REBOOT_SIGNAL)
    } catch (error) {
      throw new DoorFault(`systemd cannot be signalled: ${codeOf(error)}`)
    }
  }
}
