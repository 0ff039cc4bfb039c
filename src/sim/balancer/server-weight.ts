/** `BE_WEIGHT_SCALE`: effective weights count in sixteenths, so that a server that warms up has a part of its weight. */
const SCALE = 16
const MOST = 256
const MOST_PERCENT = 25_600

/** The weight of one server, and what `set weight` accepts (HAProxy src/server.c, `server_parse_weight_change_request`). */
export class ServerWeight {
  readonly initial: number
  #set: number
  #effective: number

  constructor(initial: number) {
    this.initial = initial
    this.#set = initial
    this.#effective = initial * SCALE
  }

  /** `uweight`: what the file says, or a command since then. */
  get set(): number {
    return this.#set
  }

  /** What it takes now, in sixteenths. */
  get effective(): number {
    return this.#effective
  }

  /** `weight` of `show stat`. */
  get shown(): number {
    return Math.floor((this.#effective + SCALE - 1) / SCALE)
  }

  /** `throttle` of `show stat`, in percent. */
  get throttle(): number {
    return this.#set === 0 ? 100 : Math.floor((100 * this.#effective + SCALE - 1) / (SCALE * this.#set))
  }

  /** HAProxy's words where it is none; undefined where it was done. */
  change(text: string): string | undefined {
    if (text === '') return 'Require <weight> or <weight%>.\n'
    const [, digits, rest = ''] = /^([+-]?\d+)?(.*)$/.exec(text) ?? []
    if (digits === undefined) return 'Empty weight string empty or preceded by garbage'
    const wanted = Number(digits)
    if (rest === '%') {
      if (wanted < 0) return 'Relative weight must be positive.\n'
      this.#set = Math.min(MOST, Math.floor((this.initial * Math.min(MOST_PERCENT, wanted)) / 100))
      return undefined
    }
    if (wanted < 0 || wanted > MOST) return 'Absolute weight can only be between 0 and 256 inclusive.\n'
    if (rest !== '') return 'Trailing garbage in weight string'
    this.#set = wanted
    return undefined
  }

  /** After a reload, as the process before had it. */
  adopt(other: ServerWeight): void {
    this.#set = other.#set
  }

  /** Takes effect: in full, or of a server that warms up the part for that time. */
  apply(warmUp?: { readonly forS: number; readonly ofS: number }): void {
    const part = warmUp === undefined ? SCALE : Math.floor((SCALE * warmUp.forS + warmUp.ofS) / warmUp.ofS)
    this.#effective = this.#set * part
  }
}
