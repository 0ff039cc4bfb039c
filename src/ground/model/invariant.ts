/** A bug in Even Keel itself, never a fault of the user or the cluster: the process ends, and the next one reads the cluster. */
class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

export function invariant(condition: unknown, text: string): asserts condition {
  if (!condition) throw new InvariantError(text)
}
