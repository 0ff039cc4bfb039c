import type { CrashPoint } from './crash-run.ts'

/** Both sides of every effect that a clean roll has, in order. */
const allCrashPoints = (effects: number): readonly CrashPoint[] =>
  Array.from({ length: effects }, (_, effect): readonly CrashPoint[] => [
    { effect, phase: 'before' },
    { effect, phase: 'after' },
  ]).flat()

/** Every n-th of them, from the given one on. */
export const everyNth = (effects: number, nth: number, from: number): readonly CrashPoint[] =>
  allCrashPoints(effects).filter((_, i) => i % nth === from % nth)
