/** `24,600`. */
export const countText = (count: number): string => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ',')

/** `1 pod`, `2,000 pods`, `no pods`. */
export function countOf(count: number, noun: string): string {
  if (count === 0) return `no ${noun}s`
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`
}
