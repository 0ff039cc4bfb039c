export interface Random {
  /** Uniform in [0, 1). */
  next(): number
  /** `bytes` random bytes as lower-case hex: for ids, never for secrets. */
  hex(bytes: number): string
}
