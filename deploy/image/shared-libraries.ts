import { run } from '../../testbed/machine/run.ts'

/** Where the loader and every library lie that a program is linked with, as it looks for them; it finds them there again. */
export async function sharedLibraries(program: string): Promise<readonly string[]> {
  const told = await run(['ldd', program], { env: { LC_ALL: 'C' } })
  const missing = /^\s*(\S+) => not found/m.exec(told)?.[1]
  if (missing !== undefined) throw new Error(`${program} needs ${missing}, which this machine lacks`)
  return [...new Set([...told.matchAll(/(?:^|=>)\s*(\/\S+) \(0x/gm)].map(([, path = '']) => path))].toSorted()
}
