/** What one process of the test runner leaves in the sandbox for those that come after it. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const UNDER_WAY = 'mutant-under-way'
const TIMES = 'test-times.json'

/** How long each test took without a mutant, in ms. */
export type TestTimes = ReadonlyMap<string, number>

export function noteTimes(times: TestTimes): void {
  writeFileSync(TIMES, JSON.stringify([...times]))
}

export const readTimes = (): TestTimes =>
  new Map(JSON.parse(readFileSync(TIMES, 'utf8')) as readonly (readonly [string, number])[])

/** The mutant that is tried now: where its process ends, the next one finds it. */
export function noteUnderWay(mutant: string): void {
  writeFileSync(UNDER_WAY, mutant)
}

export const wasUnderWay = (mutant: string): boolean =>
  existsSync(UNDER_WAY) && readFileSync(UNDER_WAY, 'utf8') === mutant
