import type { Edit, Mutation } from './mutation.ts'

const ANSWER = 'src/operator/decide/roll-answer.ts'
const REQUESTS = 'src/operator/decide/file-with-requests.ts'
const OBJECTS = 'src/operator/decide/wanted-objects.ts'
const SCHEDULE = 'src/operator/decide/schedule.ts'
const WORLD = 'test/virtual/rolls.test.ts'
const SEEDS = 'test/virtual/rolls-swarm.test.ts'

const mutation = (name: string, inTest: string, [file, from, to]: readonly [string, string, string]): Mutation => ({
  name,
  inTest,
  edits: [{ file, from, to } satisfies Edit],
})

/** Rolls as objects. */
export const OPERATOR_MUTATIONS: readonly Mutation[] = [
  mutation('begins a node of a Roll that is paused', WORLD, [
    REQUESTS,
    "'!(has(object.spec.paused) && object.spec.paused)'",
    "'true'",
  ]),
  mutation('begins a node of a Roll without its approval', WORLD, [
    REQUESTS,
    "(node in object.spec.approved || 'all' in object.spec.approved)",
    'size(object.spec.approved) > 0',
  ]),
  mutation('runs a Roll that was restored from a backup', WORLD, [
    ANSWER,
    'if (other !== undefined) {',
    "if (other === '') {",
  ]),
  mutation('works on two Rolls at a time', WORLD, [ANSWER, 's.goesFirst === undefined ||', 's.now > 0 ||']),
  mutation('lets a deleted Roll go while a node is out', WORLD, [
    ANSWER,
    'if (run?.end !== undefined && run.end.out.length === 0) return true',
    'if (run !== undefined) return true',
  ]),
  mutation('deletes a Roll without stopping its pod', WORLD, [
    ANSWER,
    "const isStopped = job.task === 'abort' ||",
    "const isStopped = s.now > 0 || job.task === 'abort' ||",
  ]),
  mutation('does not hear an abort', WORLD, [
    ANSWER,
    'const isEnding = roll.deleting || roll.abort',
    'const isEnding = roll.deleting',
  ]),
  mutation('keeps no deleted Roll until its nodes are back', WORLD, [
    'src/operator/run/perform.ts',
    'const finalizers = [...new Set([...roll.finalizers, ROLL_FINALIZER])]',
    'const finalizers = roll.finalizers',
  ]),
  mutation('begins a run anew with each Job', SEEDS, [OBJECTS, 'roll.uid}`],', 'roll.uid + attempt}`],']),
  mutation('begins a Roll anew whose run has ended', 'test/operator/decide/roll-answer.test.ts', [
    ANSWER,
    "const succeeded = is('Succeeded')",
    "const succeeded = is('Done')",
  ]),
  mutation('lets the author of a Roll run commands', 'test/operator/reading/file-faults.test.ts', [
    'src/operator/reading/file-faults.ts',
    "new Set(['argument', 'path',",
    "new Set(['path',",
  ]),
  mutation('makes a Roll while an earlier one of its schedule is under way', 'test/operator/decide/schedule.test.ts', [
    SCHEDULE,
    'const active = rolls.find((roll) => !hasEnded(roll))',
    "const active = rolls.find((roll) => !hasEnded(roll) && roll.name === '')",
  ]),
  mutation('makes a second Roll for the same time', 'test/operator/decide/schedule.test.ts', [
    SCHEDULE,
    'if (rolls.some((roll) => roll.name === name))',
    "if (rolls.some((roll) => roll.name === ''))",
  ]),
]
