/** How a process in a pod makes its machine reboot. */
export interface Door {
  /** Why the machine would not hear of a request; undefined: it would. */
  fault(): Promise<string | undefined>
  /** Asks the machine to reboot, if it still runs this boot. Rejects with DoorFault where it did not. */
  use(bootId: string, signal: AbortSignal): Promise<void>
}

export class DoorFault extends Error {
  override readonly name = 'DoorFault'
}
