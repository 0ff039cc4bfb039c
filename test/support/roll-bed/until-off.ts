import type { Bed } from '../../../testbed/bed.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'

/** Resolves while the machine is dark, where it stays so for a second or two. */
export async function untilOff(bed: Bed, node: string): Promise<void> {
  const isOff = (): Promise<true | undefined> =>
    bed.exec(node, ['true']).then(
      () => undefined,
      () => true,
    )
  await waitFor({ what: `${node} to be off`, limitMs: 10_000, everyMs: 20 }, isOff)
}
