/** One process at a time works on a run. */
export interface RunLock {
  /** Our name in it. */
  readonly holder: string
  /** Fires once another process has the run. The reason is an error for people. */
  readonly lost: AbortSignal
  /** False: it was not renewed for so long that another process may have it soon. Nothing may begin then. */
  mayAct(): boolean
  release(): Promise<void>
}

export interface RunLocks {
  /**
   * Undefined: a process that lives has the run. Watches first whether it lives, at most as long as the lock lasts without a renewal.
   * `slotMs`: the lock lasts at least as long as the slots of the run, which are taken at once by whoever has it.
   */
  take(run: string, slotMs: number, signal: AbortSignal): Promise<RunLock | undefined>
  /** At one look, by the clocks of two machines. For people. */
  isHeld(run: string): Promise<boolean>
  /** Removes the lock of a run that is over. */
  remove(run: string): Promise<void>
}
