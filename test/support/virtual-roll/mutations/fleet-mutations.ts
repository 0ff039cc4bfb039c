import type { Mutation } from './mutation.ts'

const mutation = (name: string, [file, from, to]: readonly [file: string, from: string, to: string]): Mutation => ({
  name,
  edits: [{ file, from, to }],
  inFleets: true,
})

/** The node budget with a line wrong: only where several owners take nodes at once does it show. */
export const FLEET_MUTATIONS: readonly Mutation[] = [
  mutation('takes a slot above those that there are', [
    'src/roll/decide/node-budget.ts',
    'const free = indexes.find((index) => !held.has(index))',
    'const free = [...indexes, count].toReversed().find((index) => !held.has(index))',
  ]),
  mutation('takes a slot for a node that has one', [
    'src/roll/decide/node-budget.ts',
    'owner.node === s.current.node.name && !(isAskedFor && index === 0))',
    'owner.node === s.current.node.name && isAskedFor && index < 0)',
  ]),
  mutation('does not count nodes that are claimed', [
    'src/service/decide/budget/budget-node.ts',
    'claimedBy: claimed,',
    "claimedBy: claimed?.includes('roll/') ? claimed : undefined,",
  ]),
  mutation('does not count granted cordons', [
    'src/service/decide/budget/who-is-out.ts',
    'cordons.granted.includes(name)',
    "name === '' && cordons.granted.includes(name)",
  ]),
  mutation('rounds a percentage up', [
    'src/service/decide/budget/max-out.ts',
    'Math.floor((fleet * limit.percent) / 100)',
    'Math.ceil((fleet * limit.percent) / 100)',
  ]),
  mutation('takes what the file asks for, also where it is more than the budget allows', [
    'src/roll/decide/node-budget.ts',
    'Math.min(slotCount(s), maxOut(asked, s.cluster.nodes.length))',
    'maxOut(asked, s.cluster.nodes.length)',
  ]),
  mutation('grants cordons whatever else is out', [
    'src/agent/decide/brake/share-out.ts',
    'new Set([...granted, ...outByThemselves(nodes, new Set(memory.returning.keys())).map(({ node }) => node)])',
    'new Set([...granted])',
  ]),
]
