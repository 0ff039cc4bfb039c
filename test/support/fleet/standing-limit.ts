interface Standing {
  readonly fromMs: number
  /** Undefined: until now. */
  readonly toMs?: number
  readonly max: number
}

/**
 * How many nodes the budget lets be out, by what its object said over time: a number, or a percentage rounded down, one at
 * least and never all. Where it is gone or makes no sense, what it said last stands.
 */
export class StandingLimit {
  readonly #nodes: number
  readonly #stood: Standing[]
  #text: string | undefined

  constructor(nodes: number) {
    this.#nodes = nodes
    this.#stood = [{ fromMs: Number.NEGATIVE_INFINITY, max: 1 }]
  }

  says(text: string | undefined, atMs: number): void {
    if (text === this.#text) return
    this.#text = text
    const max = this.#maxOf(text)
    const last = this.#stood.at(-1)
    if (max === undefined || last === undefined || last.max === max) return
    this.#stood[this.#stood.length - 1] = { ...last, toMs: atMs }
    this.#stood.push({ fromMs: atMs, max })
  }

  /** The largest that stood at some time since then. */
  most(sinceMs: number): number {
    return Math.max(...this.#stood.filter(({ toMs }) => toMs === undefined || toMs >= sinceMs).map(({ max }) => max))
  }

  #maxOf(text: string | undefined): number | undefined {
    const [, digits, percent] = /^(\d{1,5})(%?)$/.exec(text ?? '') ?? []
    if (digits === undefined || Number(digits) === 0 || (percent === '%' && Number(digits) > 100)) return undefined
    const asked = percent === '%' ? Math.floor((this.#nodes * Number(digits)) / 100) : Number(digits)
    return Math.min(Math.max(1, asked), this.#nodes - 1)
  }
}
