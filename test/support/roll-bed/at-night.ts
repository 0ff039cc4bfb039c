import { describe, type TestContext, test } from 'node:test'

type Declare = (title: string, options: object, run: (t: TestContext) => Promise<void>) => void

export const isNight = process.env.EVERY_TROUBLE !== undefined

/**
 * Declares a test of a real cluster for the night: `npm run nightly` has a part for each file with such tests. By day the same is
 * seen in virtual time, by the fast tests or by a row like it, and the beds have room for what only real parts can show.
 */
export const atNight: Declare = isNight ? test : () => undefined

/** The same for rows that stand together. */
export const describeAtNight: (title: string, options: object, rows: () => void) => void = isNight
  ? describe
  : () => undefined
