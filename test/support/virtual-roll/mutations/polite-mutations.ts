import type { Edit, Mutation } from './mutation.ts'

const STEPS = 'src/roll/decide/drain/polite-steps.ts'
const LADDER = 'src/roll/decide/ladder.ts'

const mutation = (
  name: string,
  ...edits: readonly (readonly [file: string, from: string, to: string])[]
): Mutation => ({
  name,
  edits: edits.map(([file, from, to]): Edit => ({ file, from, to })),
  inPolite: true,
})

/** Polite drains with a line or two wrong. */
export const POLITE_MUTATIONS: readonly Mutation[] = [
  mutation('takes a pod out of its Services before it is replaced', [
    STEPS,
    'if (lacking !== undefined) {\n    const text',
    'if (lacking !== undefined && s.now < 0) {\n    const text',
  ]),
  mutation('evicts a pod while it is an endpoint still', [
    STEPS,
    'if (gone === undefined) return wait(endpointStays(s, pod))',
    "if (gone === undefined) return refused(s, pod, 'evict') ?? { kind: 'leave' }",
  ]),
  mutation('evicts a pod as soon as it is no endpoint any more', [
    STEPS,
    'if (s.now - gone < forMs) {',
    'if (s.now - gone < forMs - forMs) {',
  ]),
  mutation('restores a node with pods that are half on their way', [
    LADDER,
    'RESTORING: readonly StepRule<RecordedSnapshot>[] = [slotHeld, politeEnd, uncordon',
    'RESTORING: readonly StepRule<RecordedSnapshot>[] = [slotHeld, uncordon',
  ]),
  mutation('forgets the labels of a pod that it let go', [
    STEPS,
    "return { kind: 'giveBackPod', ...relabel(s, pod, Object.fromEntries(ours)) }",
    "return { kind: 'giveBackPod', ...relabel(s, pod, Object.fromEntries(ours.slice(1))) }",
  ]),
]
