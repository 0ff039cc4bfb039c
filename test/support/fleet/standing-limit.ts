interface Standing {
  readonly fromMs: number
  /** Undefined: until now. */
  readonly toMs?: number
  readonly max: number
}

/** One limit after the other. */
class Limits {
  readonly #stood: Standing[] = [{ fromMs: Number.NEGATIVE_INFINITY, max: 1 }]

  stands(max: number, atMs: number): void {
    const last = this.#stood.at(-1)
    if (last === undefined || last.max === max) return
    this.#stood[this.#stood.length - 1] = { ...last, toMs: atMs }
    this.#stood.push({ fromMs: atMs, max })
  }

  /** The largest that stood at some time since then. */
  most(sinceMs: number): number {
    return Math.max(...this.#stood.filter(({ toMs }) => toMs === undefined || toMs >= sinceMs).map(({ max }) => max))
  }
}

/**
 * How many nodes the budget lets be out, by what its object said over time: a number, or a percentage rounded down, one at
 * least and never all. Where it is gone or makes no sense, what it said last stands.
 */
export class StandingLimit {
  readonly #nodes: number
  readonly #limits = new Limits()

  constructor(nodes: number) {
    this.#nodes = nodes
  }

  says(text: string | undefined, atMs: number): void {
    const max = maxOf(text, this.#nodes)
    if (max !== undefined) this.#limits.stands(max, atMs)
  }

  most(sinceMs: number): number {
    return this.#limits.most(sinceMs)
  }
}

/**
 * The same for one run. A value binds it while the object bears the value, read or not. Once the object is gone or makes no
 * sense, the value that the run read last stands; a run that has read none may have one node out.
 */
export class RunLimit {
  readonly #nodes: number
  readonly #limits = new Limits()
  #read = 1
  #said: number | undefined

  /** `text`: what the object says already. */
  constructor(nodes: number, text: string | undefined) {
    this.#nodes = nodes
    this.#said = maxOf(text, nodes)
    this.#limits.stands(this.#said ?? this.#read, Number.NEGATIVE_INFINITY)
  }

  says(text: string | undefined, atMs: number): void {
    this.#said = maxOf(text, this.#nodes)
    this.#limits.stands(this.#said ?? this.#read, atMs)
  }

  read(text: string | undefined, atMs: number): void {
    this.#read = maxOf(text, this.#nodes) ?? this.#read
    this.#limits.stands(this.#said ?? this.#read, atMs)
  }

  most(sinceMs: number): number {
    return this.#limits.most(sinceMs)
  }
}

function maxOf(text: string | undefined, nodes: number): number | undefined {
  const [, digits, percent] = /^(\d{1,5})(%?)$/.exec(text ?? '') ?? []
  if (digits === undefined || Number(digits) === 0 || (percent === '%' && Number(digits) > 100)) return undefined
  const asked = percent === '%' ? Math.floor((nodes * Number(digits)) / 100) : Number(digits)
  return Math.min(Math.max(1, asked), nodes - 1)
}
