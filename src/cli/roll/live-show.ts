import type { Style } from '../terminal/style.ts'
import type { TerminalSize } from '../terminal/text-sink.ts'

/** How the live region is drawn at one moment. */
export interface LiveShow {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly size: TerminalSize
  readonly style: Style
}
