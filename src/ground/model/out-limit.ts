/** How many nodes may be out at once. */
export type OutLimit =
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'percent'; readonly percent: number }

/** `3` or `50%`. Undefined for anything else, and for none at all: a brake that lets no node out would block all work. */
export function parseOutLimit(text: string): OutLimit | undefined {
  const [, digits = '', sign] = /^([1-9]\d{0,4})(%?)$/.exec(text) ?? []
  const value = Number(digits)
  if (digits === '' || (sign === '%' && value > 100)) return undefined
  return sign === '%' ? { kind: 'percent', percent: value } : { kind: 'count', count: value }
}
