/**
 * The engine with one thing wrong at a time, under crashes and random faults in virtual time: each must be seen by a
 * checker. `npm run mutations`; a word selects mutations by their names. Prints a table in Markdown.
 *
 * `npm run mutations -- rules` takes each rule away that the code has, and writes who sees it to docs/internals/rules.md; words behind it
 * select rules by their ids, `--new` those that were never tried. `--minutes N`, `--workers N`, and `--from N` for the first of the worlds.
 */
import { parseArgs } from 'node:util'
import type { Job } from './support/virtual-roll/jobs/job.ts'
import { jobName } from './support/virtual-roll/jobs/job-name.ts'
import { MutatedTree } from './support/virtual-roll/mutations/mutated-tree.ts'
import type { Mutation } from './support/virtual-roll/mutations/mutation.ts'
import {
  fleetJobs,
  guardJobs,
  ingressJobs,
  mutationJobs,
  politeJobs,
} from './support/virtual-roll/mutations/mutation-jobs.ts'
import { MUTATIONS } from './support/virtual-roll/mutations/mutations.ts'
import { tryRulesOfTree } from './support/virtual-roll/mutations/rules/rules-command.ts'
import { type Caught, tryMutation } from './support/virtual-roll/mutations/try-mutation.ts'

const jobText = ({ job, after }: Caught): string => `${jobName(job)}, ${after}${after === 1 ? ' run' : ' runs'}`

/** Its test file, or the jobs of its world. Those are made once where a chosen mutation needs them: some begin with a roll. */
async function jobsByWorld(chosen: readonly Mutation[]): Promise<(mutation: Mutation) => readonly Job[]> {
  const worldOf = ({ inFleets, inIngress, inGuards, inPolite }: Mutation): keyof typeof WORLDS => {
    if (inFleets) return 'fleets'
    if (inIngress) return 'ingress'
    if (inGuards) return 'guards'
    return inPolite ? 'polite' : 'usual'
  }
  const jobs = new Map<string, readonly Job[]>()
  const inSeeds = chosen.filter(({ inTest }) => inTest === undefined)
  for (const world of new Set(inSeeds.map(worldOf))) jobs.set(world, await WORLDS[world]())
  return (mutation) => {
    const { inTest } = mutation
    return inTest === undefined ? (jobs.get(worldOf(mutation)) ?? []) : [{ kind: 'test', file: inTest }]
  }
}

const WORLDS = { fleets: fleetJobs, ingress: ingressJobs, guards: guardJobs, polite: politeJobs, usual: mutationJobs }

async function tryMutations(words: readonly string[]): Promise<boolean> {
  const chosen = MUTATIONS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
  const tree = await MutatedTree.make()
  let isSeen = true
  try {
    const jobsOf = await jobsByWorld(chosen)
    console.log('| the engine … | seen by | first in |\n| --- | --- | --- |')
    for (const mutation of chosen) {
      const { name } = mutation
      const jobs = jobsOf(mutation)
      const caught = await tryMutation(tree, mutation, jobs)
      console.log(
        `| ${name} | ${caught?.by ?? '**nobody**'} | ${caught === undefined ? `${jobs.length} runs` : jobText(caught)} |`,
      )
      if (process.env.WHY !== undefined && caught !== undefined) console.log(`<!-- ${caught.text.slice(0, 300)} -->`)
      isSeen &&= caught !== undefined
    }
  } finally {
    await tree.remove()
  }
  return isSeen
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '600' },
    workers: { type: 'string', default: '2' },
    new: { type: 'boolean', default: false },
    from: { type: 'string', default: '0' },
  },
})
const [first, ...words] = positionals
const { minutes, workers, from, new: isNew } = values
const isWell =
  first === 'rules'
    ? await tryRulesOfTree({ words, minutes: Number(minutes), workers: Number(workers), isNew, from: Number(from) })
    : await tryMutations(positionals)
if (!isWell) process.exitCode = 1
