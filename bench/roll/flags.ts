import type { Span } from './spans.ts'

/** Conditions seen from outside, each true for some stretches of time. Names are `kind/node/…`. */
export class Flags {
  readonly #since = new Map<string, number>()
  readonly #ended = new Map<string, Span[]>()

  set(name: string, on: boolean): void {
    const now = performance.now()
    const since = this.#since.get(name)
    if (on && since === undefined) this.#since.set(name, now)
    if (on || since === undefined) return
    this.#since.delete(name)
    const spans = this.#ended.get(name) ?? []
    spans.push({ from: since, to: now })
    this.#ended.set(name, spans)
  }

  isOn(name: string): boolean {
    return this.#since.has(name)
  }

  /** Of every flag below a path; one that is still on lasts until now. */
  spans(path: string): readonly Span[] {
    const now = performance.now()
    const below = ([name]: readonly [string, unknown]): boolean => name === path || name.startsWith(`${path}/`)
    return [
      ...[...this.#ended].filter(below).flatMap(([, spans]) => spans),
      ...[...this.#since].filter(below).map(([, from]) => ({ from, to: now })),
    ]
  }

  /** What begins or ends within some milliseconds of a moment: says where a gap lies. */
  near(at: number, withinMs: number): readonly string[] {
    return [...this.#ended].flatMap(([name, spans]) =>
      spans.flatMap(({ from, to }) => [
        ...(Math.abs(from - at) <= withinMs ? [`+${name}`] : []),
        ...(Math.abs(to - at) <= withinMs ? [`-${name}`] : []),
      ]),
    )
  }
}
