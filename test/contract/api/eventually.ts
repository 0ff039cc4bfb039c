import { waitFor } from '../../../testbed/machine/wait-for.ts'

/** Waits for what a door tells in its own time. */
export const eventually = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
  await waitFor({ what, limitMs: 20_000, everyMs: 10 }, async () => (await holds()) || undefined)
}
