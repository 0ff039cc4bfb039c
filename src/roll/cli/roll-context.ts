import type { CliContext } from '../../cli/cli-context.ts'
import type { LinePrinter } from '../../cli/line-printer.ts'

/** A process in which a roll is shown: what speaks beside it speaks through it. */
export interface RollContext extends CliContext {
  readonly printer: LinePrinter
}
