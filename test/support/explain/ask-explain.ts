import { runProgram } from '../../../src/cli/program.ts'
import { addExplainCommand, type ExplainActions } from '../../../src/explain/cli/explain-command.ts'
import type { Clock } from '../../../src/ground/ports/clock.ts'
import { memoryContext } from '../../cli/memory-context.ts'

interface SaidFinding {
  readonly part: string
  readonly is: string
  readonly subject: string
  readonly code: string
  readonly text: string
  readonly evidence: readonly string[]
  readonly next: readonly { readonly command?: string; readonly note: string }[]
}

export interface SaidDocument {
  readonly state: string
  readonly verdict: string
  readonly findings: readonly SaidFinding[]
  readonly unknown: readonly { readonly what: string; readonly why: string }[]
}

export interface SaidByExplain {
  readonly code: number
  readonly out: string
  readonly err: string
  readonly document: SaidDocument
}

interface Asked {
  readonly open: ExplainActions['open']
  readonly clock: Clock
  /** What the time of the cluster goes on by; absent: it goes on by itself. */
  readonly settle?: <T>(work: Promise<T>) => Promise<T>
}

/** A person types `evenkeel explain …`: once for people, and once for machines. */
export async function askExplain(
  { open, clock, settle = (work) => work }: Asked,
  line: string,
): Promise<SaidByExplain> {
  const run = async (...more: readonly string[]) => {
    const { context } = memoryContext()
    const parts = {
      version: '0',
      context: { ...context, clock },
      commands: [addExplainCommand(async () => ({ open }))],
    }
    const code = await settle(runProgram(parts, ['explain', ...line.split(' '), ...more]))
    return { code, out: context.out.text, err: context.err.text }
  }
  const text = await run()
  const json = await run('-o', 'json')
  return { ...text, document: JSON.parse(json.out || '{}') as SaidDocument }
}
