const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
}

/** `1Gi`, `500M`: a `resource.Quantity` of bytes; 0 for what is none. */
export function quantityBytes(text: string | undefined): number {
  const [, number = '0', unit = ''] = /^(\d+(?:\.\d+)?)([kMGTP]i?|Ki)?$/.exec(text ?? '') ?? []
  return Number(number) * (UNITS[unit] ?? 0)
}
