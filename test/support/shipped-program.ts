import { join } from 'node:path'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

/** Where `test/run.ts` has built what is shipped, for all test files of one run. */
export const SHIPPED_FOLDER = 'EVENKEEL_TEST_SHIPPED'

/**
 * The program as it is shipped, which people run and which starts four times as fast as its sources; those where a test file
 * is run without `test/run.ts`.
 */
export function shippedProgram(name: 'evenkeel' | 'agent'): string {
  const folder = process.env[SHIPPED_FOLDER]
  return folder === undefined
    ? fileURLToPath(new URL(`../../bin/${name}.ts`, import.meta.url))
    : join(folder, `${name}.js`)
}
