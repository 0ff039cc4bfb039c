/**
 * The engine with one thing wrong at a time, under crashes and random faults in virtual time: each must be seen by a
 * checker. `npm run mutations`; a word selects mutations by their names. Prints a table in Markdown.
 */

import { MutatedTree } from './support/virtual-roll/mutations/mutated-tree.ts'
import { fleetJobs, guardJobs, ingressJobs, mutationJobs } from './support/virtual-roll/mutations/mutation-jobs.ts'
import { MUTATIONS } from './support/virtual-roll/mutations/mutations.ts'
import { type Caught, tryMutation } from './support/virtual-roll/mutations/try-mutation.ts'

const jobText = ({ job, after }: Caught): string => {
  const where =
    job.kind !== 'crash'
      ? `${job.kind} ${job.seed}`
      : `crash ${job.plan.crashes.map(({ effect, phase }) => `${phase} ${effect}`).join(', ') || 'none'}`
  return `${where}, ${after}${after === 1 ? ' run' : ' runs'}`
}

const words = process.argv.slice(2)
const chosen = MUTATIONS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)))
const tree = await MutatedTree.make()
try {
  const [usual, fleets] = [
    chosen.every(({ inFleets, inIngress, inGuards }) => inFleets || inIngress || inGuards) ? [] : await mutationJobs(),
    fleetJobs(),
  ]
  console.log('| the engine … | seen by | first in |\n| --- | --- | --- |')
  for (const mutation of chosen) {
    const jobs = mutation.inFleets
      ? fleets
      : mutation.inIngress
        ? ingressJobs()
        : mutation.inGuards
          ? guardJobs()
          : usual
    const caught = await tryMutation(tree, mutation, jobs)
    console.log(
      `| ${mutation.name} | ${caught?.by ?? '**nobody**'} | ${caught === undefined ? `${jobs.length} runs` : jobText(caught)} |`,
    )
    if (process.env.WHY !== undefined && caught !== undefined) console.log(`<!-- ${caught.text.slice(0, 300)} -->`)
    if (caught === undefined) process.exitCode = 1
  }
} finally {
  await tree.remove()
}
