import type { Edit, Mutation } from './mutation.ts'

const mutation = (
  name: string,
  inTest: string,
  ...edits: readonly (readonly [file: string, from: string, to: string])[]
): Mutation => ({
  name,
  inTest,
  edits: edits.map(([file, from, to]): Edit => ({ file, from, to })),
})

/** What surrounds a roll, and seeds do not draw: what else chooses a server, names it, opens a budget or takes a node. */
export const SURROUNDINGS_MUTATIONS: readonly Mutation[] = [
  mutation('leaves a server in drain that is sent sessions there', 'test/service/decide/detach-waits.test.ts', [
    'src/service/actuators/haproxy/haproxy.ts',
    'reading?.persistent === true || detached[key]?.isSentInDrain === true',
    'reading?.persistent === true',
  ]),
  mutation('knows a server by its name alone', 'test/virtual/renamed-servers.test.ts', [
    'src/service/decide/node-servers.ts',
    'matchNodeServers(s.node, s.instances).filter(({ reading }) => !readings.has(reading))',
    'matchNodeServers(s.node, s.instances).filter(({ reading }) => s.now < 0 && !readings.has(reading))',
  ]),
  mutation('takes the budget of an operator for one that never opens', 'test/roll/decide/eviction-refusal.test.ts', [
    'src/roll/decide/drain/budget-reasons.ts',
    'budget.disruptionsAllowed > 0 || operatorOf(pod, budget) !== undefined',
    'budget.disruptionsAllowed > 0',
  ]),
  mutation('begins a node that others are about to take', 'test/roll/decide/others-work.test.ts', [
    'src/roll/decide/others-work.ts',
    'takenBy(each) !== undefined && !marks.includes(each)',
    "takenBy(each) === '' && !marks.includes(each)",
  ]),
  mutation('waits for a reboot that was not sent as for one that was', 'test/roll/decide/reboot.test.ts', [
    'src/roll/decide/blocked.ts',
    "(reboot === undefined || reboot.answer.kind === 'unsent')",
    'reboot === undefined',
  ]),
]
