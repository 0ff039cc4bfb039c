/**
 * `npm run check`: types, lint and format, and unused exports, side by side. Prints the output of each, and ends with 1 if one
 * of them fails.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Two packages have a program named `tsc`; this one is several times as fast as that of the library. */
const tsc = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript-native/package.json')))

const CHECKS: readonly (readonly [name: string, command: string, ...args: string[]])[] = [
  ['types', process.execPath, tsc, '--noEmit'],
  ['lint and format', 'biome', 'check', '--error-on-warnings', '.'],
  ['unused', 'knip', '--no-progress'],
]

/** Returns whether it succeeded. */
async function checked([name, command, ...args]: (typeof CHECKS)[number]): Promise<boolean> {
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  const [code] = (await once(child, 'close')) as [number | null]
  const isGood = code === 0
  console.log(`${said}${name}: ${isGood ? 'ok' : 'FAILED'}`)
  return isGood
}

const all = await Promise.all(CHECKS.map(checked))
if (all.includes(false)) process.exitCode = 1
