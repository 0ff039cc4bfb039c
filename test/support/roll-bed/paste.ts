import { join } from 'node:path'
import { ensureBuilt } from '../../../testbed/build.ts'
import { run } from '../../../testbed/machine/run.ts'

interface Reader {
  readonly kubeconfig: string
  /** Absent: the reader is outside of the network of the bed. */
  readonly enter?: (argv: readonly string[]) => readonly string[]
}

/** Gives a printed line to a shell, with what it would find in the place of its reader. The bed has kubectl as a part of another program. */
export async function paste(line: string, { kubeconfig, enter = (argv) => argv }: Reader): Promise<void> {
  const { programs } = await ensureBuilt(() => undefined)
  const env = { PATH: process.env.PATH ?? '', KUBECONFIG: kubeconfig, KUBE: join(programs, 'kube') }
  await run(enter(['sh', '-c', `kubectl() { "$KUBE" kubectl "$@"; }; ${line}`]), { env, limitMs: 30_000 })
}
