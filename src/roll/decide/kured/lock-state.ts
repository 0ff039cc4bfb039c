/** What the process knows of kured's lock, beside what the cluster shows. */
export interface KuredLockState {
  /** Why the last try to take the lock failed. */
  readonly failure?: string
}
