import { globSync } from 'node:fs'
import { KEPT_ROLLOUTS, KEPT_SEEDS } from '../../../../virtual/kept-seeds.ts'
import type { Job } from '../../jobs/job.ts'
import { CRASH_WORDS, jobOf } from '../../jobs/job-name.ts'
import { FIRST_BY_STEP } from '../../swarm/scenario-by-step.ts'

/** A clean roll has about a hundred effects. */
const EFFECTS = 100
const EVERY = 7
const SEEDS = 120
/** Seeds follow each other by fault, and each of them by step: so many further is another of both. */
const APART = 31

/** Thousands of worlds each, or none: what these look at is seen by the seeds and crash points themselves. */
const LEFT_OUT = /swarm|crash|killed|fleets|explain|rights|preflight|commands|worlds|-cells|article/

const ROOT = new URL('../../../../..', import.meta.url).pathname
const files = (pattern: string): readonly string[] => globSync(pattern, { cwd: ROOT }).toSorted()

/**
 * The worlds in which a rule may be missed: of each kind one in turn, since a rule is one of a roll, a fleet, a rollout or a guard. Rolls
 * of their own, which test files have, come last: they take longer.
 */
export function ruleWorlds(): readonly Job[] {
  const points = Array.from({ length: Math.ceil(EFFECTS / EVERY) }, (_, i) => i * EVERY)
  const crashes = points.flatMap((at) => [`crash before ${at}`, `crash abort after ${at + 3}`])
  const beside = CRASH_WORDS.flatMap((word) => [
    `crash ${word} none`,
    `crash ${word} before 31`,
    `crash ${word} abort after 43`,
  ])
  const kinds = [
    ['crash none', ...crashes],
    beside,
    KEPT_SEEDS.map((seed) => `seed ${seed}`),
    some((i) => `seed ${FIRST_BY_STEP + i * APART}`),
    some((i) => `seed ${i}`),
    some((i) => `polite ${FIRST_BY_STEP + i}`),
    some((i) => `fleet ${i}`),
    [...KEPT_ROLLOUTS.map((seed) => `ingress ${seed}`), ...some((i) => `ingress ${i}`)],
    some((i) => `guard ${i}`),
  ]
  const longest = Math.max(...kinds.map(({ length }) => length))
  const names = Array.from({ length: longest }, (_, i) => kinds.flatMap((kind) => kind[i] ?? [])).flat()
  const scenarios = files('test/virtual/*.test.ts').filter((file) => !LEFT_OUT.test(file))
  return [...names, ...scenarios.map((file) => `test ${file}`)].flatMap((name) => jobOf(name) ?? [])
}

/** Tests of decisions have no world: what they alone see is a hole in the worlds. */
export const ruleTests = (): readonly Job[] =>
  files('test/{ground/loop,{roll,service,agent,guard,ingress}/{decide,run}}/**/*.test.ts').map((file) => ({
    kind: 'test',
    file,
  }))

const some = (name: (i: number) => string): readonly string[] => Array.from({ length: SEEDS }, (_, i) => name(i))
