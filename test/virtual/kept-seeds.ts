/** Seeds of the swarm that once failed, each with what was wrong. They run first, and always. */
export const KEPT_SEEDS: readonly string[] = []
