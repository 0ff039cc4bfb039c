/** What a pod requests, or what a node has: cpu in thousandths of a core, memory in bytes. */
export interface Amount {
  readonly cpuMilli: number
  readonly memoryBytes: number
}

const UNITS: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
}

/** `100m`, `1.5`, `64Mi`, `1e3`: a resource.Quantity as a number; undefined if the text is not a quantity. */
export function quantity(text: string): number | undefined {
  const [, number, unit = ''] = /^([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([numkMGTPE]|[KMGTPE]i)?$/.exec(text) ?? []
  return number === undefined ? undefined : Number(number) * (UNITS[unit] ?? Number.NaN)
}

const BINARY = ['Ei', 'Pi', 'Ti', 'Gi', 'Mi', 'Ki'] as const

/** Bytes for people: `1.5Gi`. */
export function bytesText(bytes: number): string {
  const unit = BINARY.find((candidate) => Math.abs(bytes) >= (UNITS[candidate] ?? 1))
  return unit === undefined ? String(Math.round(bytes)) : `${rounded(bytes / (UNITS[unit] ?? 1))}${unit}`
}

/** Thousandths of a core for people: `250m`, `1.5`. */
export const cpuText = (milli: number): string =>
  Math.abs(milli) < 1000 ? `${Math.round(milli)}m` : String(rounded(milli / 1000))

const rounded = (value: number): number => Math.round(value * 10) / 10
