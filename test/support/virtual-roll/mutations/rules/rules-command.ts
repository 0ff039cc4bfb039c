import type { Job } from '../../jobs/job.ts'
import { jobName, jobOf } from '../../jobs/job-name.ts'
import { MutatedTree } from '../mutated-tree.ts'
import { seenBy } from '../try-mutation.ts'
import { ruleTests, ruleWorlds } from './rule-worlds.ts'
import { ruledFiles, switchRules } from './rules-of-tree.ts'
import { NOBODY, RulesPage } from './rules-page.ts'
import { tryRules } from './try-rules.ts'

interface Options {
  /** Only rules whose ids have one of these words; none: all. */
  readonly words: readonly string[]
  readonly minutes: number
  readonly workers: number
  /** Only rules that were never tried. */
  readonly isNew: boolean
  /** The first of the worlds, so that each night has others. */
  readonly from: number
}

const A_TEST = 'a test'
const A_SCENARIO = 'a scenario'

/**
 * Takes each rule of the engine away and writes down who sees it: worlds first, then tests of decisions. What the time does not suffice
 * for keeps its row. False: nobody sees a rule, and no note says why.
 */
export async function tryRulesOfTree({ words, minutes, workers, isNew, from }: Options): Promise<boolean> {
  const untilMs = performance.now() + minutes * 60_000
  const files = ruledFiles()
  const page = new RulesPage(files.flatMap(({ rules }) => rules.map(({ id }) => id)))
  page.fill()
  const named = page.ids.filter((id) => words.length === 0 || words.some((word) => id.includes(word)))
  const chosen = named.filter((id) => !isNew || page.row(id).by === undefined)
  const tree = await MutatedTree.make()
  try {
    await switchRules(tree, files)
    const unseen = new Set(chosen)
    const given = { root: tree.root, workers, untilMs }
    const seen = (id: string, by: string, where: string): void => {
      unseen.delete(id)
      page.put(id, { by, in: where })
      console.log(`| \`${id}\` | ${by} | ${where} |`)
    }
    const inWorlds = await tryRules({
      ...given,
      wanted: new Map(chosen.map((id) => [id, worldOf(page, id)])),
      worlds: rotated(ruleWorlds(), from),
      onSeen: (id, text, job) => seen(id, job.kind === 'test' ? A_SCENARIO : seenBy(text), jobName(job)),
    })
    const spoke = (id: string): string => `speaks in ${inWorlds.spoken.get(id) ?? 0} of ${inWorlds.worlds} worlds`
    await tryRules({
      ...given,
      wanted: new Map([...unseen].map((id) => [id, undefined])),
      worlds: ruleTests(),
      onSeen: (id, title, job) => seen(id, A_TEST, `${jobName(job)}: ${title.replaceAll('|', '\\|')} (${spoke(id)})`),
    })
    if (performance.now() < untilMs) for (const id of unseen) page.put(id, { by: NOBODY, in: spoke(id) })
    return summary(page, chosen)
  } finally {
    await tree.remove()
  }
}

/** The world that once saw the rule missing. */
function worldOf(page: RulesPage, id: string): Job | undefined {
  const { by, in: where = '' } = page.row(id)
  return by === A_TEST || by === NOBODY ? undefined : jobOf(where)
}

const rotated = <T>(all: readonly T[], from: number): readonly T[] => {
  const first = from % all.length
  return [...all.slice(first), ...all.slice(0, first)]
}

function summary(page: RulesPage, chosen: readonly string[]): boolean {
  const count = (isOne: (by: string | undefined) => boolean): number =>
    chosen.filter((id) => isOne(page.row(id).by)).length
  const [byTests, byNobody, notTried] = [A_TEST, NOBODY, undefined].map((who) => count((by) => by === who))
  const byWorlds = count((by) => by !== A_TEST && by !== NOBODY && by !== undefined)
  console.log(
    `\n${chosen.length} rules: ${byWorlds} seen by worlds, ${byTests} by tests alone, ${byNobody} by nobody, ${notTried} not tried yet`,
  )
  const unsaid = chosen.filter((id) => page.row(id).by === NOBODY && page.row(id).note === '')
  for (const id of unsaid) console.log(`nobody sees, and no note says why: ${id}`)
  return unsaid.length === 0
}
