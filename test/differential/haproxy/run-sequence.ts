import { isDeepStrictEqual } from 'node:util'
import { SeededRandom } from '../../../src/sim/clocks/seeded-random.ts'
import { waitFor } from '../../../testbed/machine/wait-for.ts'
import { comparable } from './accepted.ts'
import { type DrawnBalancer, drawBalancer } from './drawn-balancer.ts'
import { drawSteps, type Step } from './drawn-step.ts'
import { EmbeddedSide } from './embedded-side.ts'
import { RealSide } from './real-side.ts'
import type { Answered, Side } from './side.ts'
import { atOnce, cellsOf, TABLES } from './tables.ts'

/** Where the two worlds first differ: the steps up to there are the shortest that show it. */
interface Difference {
  readonly embedded: unknown
  readonly real: unknown
}

/** A busy machine is late. */
const LIMIT_MS = 15_000
const ALIKE = undefined

/** Gives one drawn balancer the same steps in both worlds, and throws at the first difference. */
export async function runSequence(t: Parameters<typeof RealSide.start>[0], seed: number): Promise<void> {
  const random = new SeededRandom(`haproxy ${seed}`)
  const drawn = drawBalancer(random)
  const steps = drawSteps(random, drawn)
  const [embedded, real] = [new EmbeddedSide(drawn), await RealSide.start(t, drawn)]
  t.after(() => embedded.stop())
  const both = { embedded, real }
  const begun = await settled(both, { releases: false })
  if (begun !== ALIKE) throw new Error(differenceText({ seed, drawn, steps: [] }, begun))
  for (const [at, step] of steps.entries()) {
    const taken = await take(both, step).catch((error: Error) => ({ embedded: error.message, real: error.message }))
    const difference = taken ?? (await settled(both, { releases: step.kind === 'release' }))
    if (difference !== ALIKE)
      throw new Error(differenceText({ seed, drawn, steps: steps.slice(0, at + 1) }, difference))
  }
}

interface Both {
  readonly embedded: EmbeddedSide
  readonly real: RealSide
}

const differing = (embedded: unknown, real: unknown): Difference | undefined =>
  isDeepStrictEqual(embedded, real) ? ALIKE : { embedded, real }

async function take({ embedded, real }: Both, step: Step): Promise<Difference | undefined> {
  switch (step.kind) {
    case 'command':
      return command({ embedded, real }, step.line)
    case 'health':
      for (const side of [embedded, real]) side.sayHealth(step.server, step.to)
      return ALIKE
    case 'agent':
      for (const side of [embedded, real]) side.sayAgent(step.server, step.line)
      return ALIKE
    case 'requests': {
      const count = embedded.requestsFor(step.backend, step.cookie)
      return differing(await asked(embedded, step, count), await asked(real, step, count))
    }
    case 'hold':
      if (embedded.isCertain(step.backend, step.cookie))
        for (const side of [embedded, real]) await side.hold(step.backend, step.cookie)
      return ALIKE
    case 'release':
      return ALIKE
    case 'reload':
      for (const side of [embedded, real]) await side.reload(step)
      return ALIKE
  }
}

/** The answer, and what the command changes at once. */
async function command({ embedded, real }: Both, line: string): Promise<Difference | undefined> {
  const of = async (side: Side): Promise<unknown> => {
    const answer = comparable(await side.command(line))
    return { answer, ...atOnce(cellsOf(await side.command(TABLES))) }
  }
  return differing(await of(embedded), await of(real))
}

/** Which servers answered so many requests, and how. */
async function asked(
  side: Side,
  { backend, cookie }: { readonly backend: string; readonly cookie?: string },
  count: number,
): Promise<readonly string[]> {
  const found = new Set<string>()
  for (let left = count; left > 0; left -= 1) found.add(textOf(await side.ask(backend, cookie)))
  return [...found].toSorted()
}

const textOf = ({ from = 'the balancer', status, cookie = 'no cookie' }: Answered): string =>
  `${status} of ${from}, ${cookie}`

/** Both have come to rest: the real one is waited for. */
async function settled(
  { embedded, real }: Both,
  { releases }: { readonly releases: boolean },
): Promise<Difference | undefined> {
  await embedded.settle()
  for (let left = releases ? 8 : 0; left > 0; left -= 1) {
    embedded.release()
    await embedded.settle()
  }
  const wanted = await standing(embedded)
  let found: unknown
  try {
    await waitFor({ what: 'both to be alike', limitMs: LIMIT_MS, everyMs: 15 }, async () => {
      if (releases) real.release()
      found = await standing(real)
      return isDeepStrictEqual(found, wanted) || undefined
    })
  } catch {
    return { embedded: wanted, real: found }
  }
  return ALIKE
}

const standing = async (side: Side): Promise<unknown> => {
  const { ended, waiting } = side.held()
  return { ended: ended.toSorted(), waiting, ...cellsOf(await side.command(TABLES)) }
}

interface Told {
  readonly seed: number
  readonly drawn: DrawnBalancer
  readonly steps: readonly Step[]
}

function differenceText({ seed, drawn, steps }: Told, { embedded, real }: Difference): string {
  return [
    `seed ${seed} differs after ${steps.length} steps: HAPROXY_SEED=${seed} node --test test/differential/haproxy.test.ts`,
    ...drawn.backends.flatMap(({ servers, ...backend }) => [
      JSON.stringify(backend),
      ...servers.map((one) => `  ${JSON.stringify(one)}`),
    ]),
    ...steps.map((step) => JSON.stringify(step)),
    ...paths(embedded, real),
  ].join('\n')
}

/** Each leaf that differs, by its path. */
function paths(embedded: unknown, real: unknown, path = ''): readonly string[] {
  if (isDeepStrictEqual(embedded, real) && path !== '') return []
  if (!isTree(embedded) || !isTree(real))
    return [`${path}: embedded ${JSON.stringify(embedded)}, real ${JSON.stringify(real)}`]
  const keys = new Set([...Object.keys(embedded), ...Object.keys(real)])
  return [...keys].flatMap((key) => paths(embedded[key], real[key], path === '' ? key : `${path} ${key}`))
}

const isTree = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
