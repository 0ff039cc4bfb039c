import type { CliContext } from '../cli/cli-context.ts'

/** Shows how to reach what stays up, and waits for Ctrl-C, which is its normal end and no interruption. */
export async function keepUp(
  { out, err, interrupts }: Pick<CliContext, 'out' | 'err' | 'interrupts'>,
  lines: readonly string[],
  isJson: boolean,
): Promise<void> {
  const sink = isJson ? err : out
  sink.write(`${lines.join('\n')}\n`)
  if (interrupts.signal.aborted) return
  await new Promise((resolve) => interrupts.signal.addEventListener('abort', resolve, { once: true }))
}
