/** `intstr.IntOrString`: a number, or a percentage of `total`, rounded as told. */
export function shareOf(value: number | string, total: number, round: (share: number) => number): number {
  if (typeof value === 'number') return value
  const percent = Number(/^(\d{1,3})%$/.exec(value)?.[1] ?? 0)
  return round((percent * total) / 100)
}
