const MAX = 2n ** 63n - 1n

/** A decimal integer of 64 bits, as Kubernetes compares them by `Gt` and `Lt`. Undefined for anything else. */
export function int64(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,64}$/.test(text)) return undefined
  const value = text.startsWith('+') ? BigInt(text.slice(1)) : BigInt(text)
  return value > MAX || value < -MAX - 1n ? undefined : value
}
