import type { Style } from '../../../ground/text/terminal/style.ts'
import type { TerminalSize } from '../../../ground/text/terminal/text-sink.ts'

/** How the live region is drawn at one moment. */
export interface LiveShow {
  /** Milliseconds since the epoch. */
  readonly now: number
  readonly size: TerminalSize
  readonly style: Style
}
