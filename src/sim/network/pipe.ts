import type { Path, Way } from './path.ts'
import type { Wire } from './wire.ts'

interface PipeParts {
  readonly wire: Wire
  readonly path: Path
  readonly way: Way
  /** The sender hears that a host on the way does not know the connection. */
  readonly onReset: () => void
}

/** One direction of a connection: what is put in comes out in that order, late, or not at all. */
export class Pipe {
  readonly #parts: PipeParts
  #queue: (() => void)[] = []

  constructor(parts: PipeParts) {
    this.#parts = parts
  }

  put(arrive: () => void): void {
    const { path, way, wire } = this.#parts
    if (!path.isSenderAlive(way)) return
    this.#queue.push(arrive)
    wire.pass(this.#arrive)
  }

  /** Whichever packet comes first, what was sent first is read first. */
  readonly #arrive = (): void => {
    const { path, way, wire, onReset } = this.#parts
    const reach = path.reach(way)
    if (reach === 'clear') {
      this.#queue.shift()?.()
    } else if (reach === 'reset' || reach === 'lost') {
      this.#queue = []
      if (reach === 'reset') wire.pass(() => path.isSenderAlive(way) && onReset())
    } else reach.hold(this.#arrive)
  }
}
