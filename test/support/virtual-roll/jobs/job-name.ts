import type { CrashPlan, CrashPoint } from '../crash/crash-run.ts'
import type { Job } from './job.ts'

const CLEAN = { nodes: 2, rolled: ['n1'] } as const

/** What a roll of the small cluster may have beside it, by a word. */
const BESIDE: Readonly<Record<string, Partial<CrashPlan>>> = {
  polite: { polite: 'chosen' },
  refused: { polite: 'refused' },
  deleted: { deletes: true },
  hooks: { hooks: true },
  announced: { announces: true },
  kured: { takesLock: true },
  checked: { healthCheck: true },
  marked: { preferDone: true, nodes: 3, rolled: ['n1', 'n2'] },
  claimed: { claimed: { by: 'socket', last: 'person', killsAgent: false } },
  asked: { claimed: { by: 'agents', last: 'roll', killsAgent: false } },
}

export const CRASH_WORDS: readonly string[] = Object.keys(BESIDE)

/** `seed 12`, `crash before 47`, `crash polite abort after 3`, `test test/virtual/pair.test.ts`. */
export function jobName(job: Job): string {
  if (job.kind === 'test') return `test ${job.file}`
  if (job.kind !== 'crash') return `${job.kind} ${job.seed}`
  const { crashes, word, nodes, rolled, ...beside } = job.plan
  const known = Object.entries(BESIDE).find(([, plan]) => Object.keys(plan).some((key) => isSame(plan, beside, key)))
  const points = crashes.map(({ effect, phase }) => `${phase} ${effect}`).join(', ') || 'none'
  return ['crash', ...(known ? [known[0]] : []), ...(word === 'abort' ? ['abort'] : []), points].join(' ')
}

const isSame = (plan: object, beside: object, key: string): boolean =>
  JSON.stringify(Reflect.get(plan, key)) === JSON.stringify(Reflect.get(beside, key))

/** The job of such a name. Undefined: there is none. */
export function jobOf(name: string): Job | undefined {
  const [kind = '', rest = ''] = split(name)
  if (kind === 'test') return { kind, file: rest }
  if (
    kind === 'seed' ||
    kind === 'polite' ||
    kind === 'file' ||
    kind === 'plan' ||
    kind === 'fleet' ||
    kind === 'ingress' ||
    kind === 'guard' ||
    kind === 'dns'
  )
    return { kind, seed: rest }
  const match = /^(?:(\w+) )??(abort )?(none|(?:before|after) \d+(?:, (?:before|after) \d+)*)$/.exec(rest)
  if (kind !== 'crash' || match === null) return undefined
  const [, beside = '', abort, points = ''] = match
  const crashes = [...points.matchAll(/(before|after) (\d+)/g)].map(
    ([, phase, effect]): CrashPoint => ({ phase: phase === 'before' ? 'before' : 'after', effect: Number(effect) }),
  )
  const word = abort === undefined ? 'resume' : 'abort'
  return { kind, plan: { ...CLEAN, ...BESIDE[beside], crashes, word } }
}

const split = (name: string): readonly string[] => {
  const at = name.indexOf(' ')
  return [name.slice(0, at), name.slice(at + 1)]
}
