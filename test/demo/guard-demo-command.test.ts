import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runProgram } from '../../src/cli/program.ts'
import { addDemoCommand } from '../../src/demo/demo-command.ts'
import type { GuardDemoActions, NodeSeen } from '../../src/demo/guard/guard-demo-actions.ts'
import {
  type GuardDemoRun,
  guardDemoDocument,
  guardDemoLines,
  isSound,
} from '../../src/demo/guard/guard-demo-result.ts'
import { systemClock } from '../../src/ground/machine/system-clock.ts'
import { WorldError } from '../../src/ground/model/world-error.ts'
import { memoryContext } from '../cli/memory-context.ts'

const DRAINED = [
  { name: 'n1', volume: 'pvc-1' },
  { name: 'n2', volume: 'pvc-2' },
]

interface Seen {
  readonly of?: Readonly<Record<string, NodeSeen>>
  readonly mostAway?: number
  readonly failure?: string
}

const WELL: Readonly<Record<string, NodeSeen>> = {
  n1: { lostAtMs: 11_000, backAtMs: 16_000 },
  n2: { lostAtMs: 21_000, backAtMs: 26_500 },
}

/** Both drains began at 1 s, and the volumes were detached at 7 s and at 11 s. */
const runOf = ({ of = WELL, mostAway = 1, failure }: Seen = {}): GuardDemoRun => ({
  cluster: {
    nodes: ['n1', 'n2'],
    drained: DRAINED,
    seen: { changes: 1_045, mostAway, of: (node) => of[node] ?? {} },
  },
  beganAtMs: 1_000,
  detachedAtMs: new Map([
    ['n1', 7_000],
    ['n2', 11_000],
  ]),
  words: [{ node: 'n1', text: 'Held: n1 is held by volumes: volumes are attached: pvc-1' }],
  ...(failure === undefined ? {} : { failure }),
})

test('the summary has the order, how long each node waited and was without its guard, and that never two were', () => {
  const [head, first, second, , order, never, looks] = guardDemoLines(runOf(), 'evenkeel')
  assert.equal(head, 'node  held by a volume  guard evicted after  time without its guard pod')
  assert.equal(first, 'n1                 6 s                 10 s                         5 s')
  assert.equal(second, 'n2                10 s                 20 s                       5.5 s')
  assert.equal(
    order,
    "Both drains were started at the same time, by kubectl's rules. The nodes were drained one after the other: n1, then n2.",
  )
  assert.equal(never, 'At no moment did two nodes lack their guard pod.')
  assert.equal(looks, '  All pods were looked at after each of 1,045 changes of a pod.')
})

test('as JSON, each node has its times and what the NodeGuard said of it', () => {
  assert.deepEqual(guardDemoDocument(runOf()), {
    version: '1',
    sound: true,
    order: ['n1', 'n2'],
    mostWithoutGuard: 1,
    podChanges: 1_045,
    nodes: [
      {
        ...{ name: 'n1', heldSeconds: 6, waitedSeconds: 10, withoutGuardSeconds: 5 },
        said: ['Held: n1 is held by volumes: volumes are attached: pvc-1'],
      },
      { name: 'n2', heldSeconds: 10, waitedSeconds: 20, withoutGuardSeconds: 5.5, said: [] },
    ],
  })
})

test('two nodes without their guard, a guard that goes while a volume is attached, and one that stays away are failures', () => {
  const early = { ...WELL, n1: { lostAtMs: 6_000, backAtMs: 10_000 } }
  const away = { ...WELL, n2: { lostAtMs: 21_000 } }
  const failed = [{ mostAway: 2 }, { of: early }, { of: away }, { failure: 'it took too long' }].map(runOf)
  assert.deepEqual(failed.map(isSound), [false, false, false, false])
  assert.ok(isSound(runOf()))
  assert.ok(
    guardDemoLines(runOf({ mostAway: 2 }), 'evenkeel').includes('At one moment, 2 nodes lacked their guard pod.'),
  )
})

function demo(words: readonly string[], failed = false) {
  const { context } = memoryContext()
  let isUp = false
  const actions: GuardDemoActions = {
    program: 'evenkeel',
    open: async () => {
      isUp = true
      const controller = failed
        ? Promise.reject(new WorldError('the controller leads no more', { code: 'DEMO_CONTROLLER', retry: 'never' }))
        : new Promise<never>(() => undefined)
      controller.catch(() => undefined)
      return {
        nodes: ['n1', 'n2'],
        drained: DRAINED,
        kubeconfig: '/kept/kubeconfig',
        seen: { changes: 0, mostAway: 0, of: () => ({}) },
        rows: () => [{ name: 'n1', state: 'Held', message: 'n1 is held by volumes' }],
        drain: (_node, _onRefused, signal) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
        detach: () => undefined,
        uncordon: async () => undefined,
        failed: controller,
        end: async () => {
          isUp = false
        },
      }
    },
  }
  const unasked = () => Promise.reject(new Error('it was not asked for'))
  const demos = {
    plans: unasked,
    dns: unasked,
    ingress: unasked,
    guard: () => Promise.resolve(actions),
    operator: unasked,
  }
  const program = { version: '0', context: { ...context, clock: systemClock }, commands: [addDemoCommand(demos)] }
  return { running: runProgram(program, ['demo', '--guard', ...words]), context, isUp: () => isUp }
}

test('a controller that cannot go on is a failure that is said, and no cluster is left', async () => {
  const { running, context, isUp } = demo([], true)
  assert.equal(await running, 1)
  assert.match(context.out.text, /\nIt did not finish: the controller leads no more\n/)
  assert.match(context.out.text, /^n1 +never +never +never$/m)
  assert.match(context.err.text, /Z n1 {7}Held: n1 is held by volumes\n/)
  assert.equal(isUp(), false)
})

test('Ctrl-C ends it with 130, and no cluster is left', async () => {
  const { running, context, isUp } = demo([])
  context.interrupts.press()
  assert.equal(await running, 130)
  assert.equal(context.out.text, '')
  assert.equal(isUp(), false)
})
