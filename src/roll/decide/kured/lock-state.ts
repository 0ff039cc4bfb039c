/** What the process knows of the lock of kured beside what the cluster shows. */
export interface KuredLockState {
  /** Why the last try to take it failed. */
  readonly failure?: string
}
