/** `0.9 ms`, `12 ms`, `1.25 s`; `-` where none was measured. */
export function latencyText(ms: number | null): string {
  if (ms === null) return '-'
  return ms >= 1_000 ? `${Number((ms / 1_000).toPrecision(3))} s` : `${Number(ms.toPrecision(ms >= 10 ? 3 : 2))} ms`
}
