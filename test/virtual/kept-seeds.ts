/** Seeds of the swarm that once failed, each with what was wrong. They run first, and always. */
export const KEPT_SEEDS: readonly string[] = [
  // People set a server to drain that was in maint before; the checker took that for a roll's.
  '5133',
]
