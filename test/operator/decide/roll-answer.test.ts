import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Reason } from '../../../src/ground/model/reason.ts'
import { wallMs } from '../../../src/ground/model/time.ts'
import { Untrusted } from '../../../src/ground/model/untrusted.ts'
import { answerOf } from '../../../src/operator/decide/roll-answer.ts'
import type { RollObjectSnapshot } from '../../../src/operator/decide/snapshot.ts'
import { ROLL_JOBS, type RollJob, type RollTask } from '../../../src/operator/model/roll-job.ts'
import { ROLLS } from '../../../src/operator/model/roll-kind.ts'
import type { SeenRun } from '../../../src/operator/model/run-state.ts'

const NOW = wallMs(Date.parse('2026-01-01T12:00:00Z'))
const ago = (seconds: number): string => new Date(NOW - seconds * 1_000).toISOString()

interface Given extends Partial<Omit<RollObjectSnapshot, 'roll' | 'jobs' | 'run'>> {
  readonly spec?: object
  readonly begun?: boolean | 'other'
  readonly generation?: number
  readonly deleted?: boolean
  readonly status?: object
  readonly jobs?: readonly RollJob[]
  readonly run?: Partial<SeenRun>
}

const RUN: SeenRun = { name: 'run-1', total: 3, done: 1, podsMoved: 0, sent: 90, failed: 0, nodes: [], held: [] }
const ended = (outcome: NonNullable<SeenRun['end']>['outcome'], out: readonly string[] = []): Partial<SeenRun> => ({
  end: { outcome, out, reasons: [] },
})

function given({
  spec = {},
  begun = true,
  generation = 1,
  deleted,
  status = {},
  jobs = [],
  run,
  ...rest
}: Given): RollObjectSnapshot {
  const uid = 'u1'
  const annotations = begun === false ? {} : { 'evenkeel.dev/roll-begun': begun === 'other' ? 'u0' : uid }
  const object = {
    metadata: {
      ...{ namespace: 'evenkeel', name: 'kernel', uid, resourceVersion: '1', generation, annotations },
      ...(begun === true ? { finalizers: ['evenkeel.dev/roll'] } : {}),
      ...(deleted === true ? { deletionTimestamp: ago(1) } : {}),
    },
    spec: { nodes: { all: true }, ...spec },
    status,
  }
  return {
    ...{ now: NOW, isFresh: true, faults: [], hasFile: true, refusals: new Map() },
    ...rest,
    roll: ROLLS.parse(new Untrusted(object, 'roll')),
    jobs,
    ...(run === undefined ? {} : { run: { ...RUN, ...run } }),
  }
}

interface JobGiven {
  readonly attempt?: number
  readonly task?: RollTask
  readonly suspend?: boolean
  readonly active?: number
  readonly ended?: readonly [type: string, secondsAgo: number]
  readonly generation?: number
}

function job({
  attempt = 1,
  task = 'begin',
  suspend = false,
  active = 0,
  ended: end,
  generation = 1,
}: JobGiven = {}): RollJob {
  const conditions = [
    ...(suspend ? [{ type: 'Suspended', status: 'True' }] : []),
    ...(end === undefined ? [] : [{ type: end[0], status: 'True', lastTransitionTime: ago(end[1]) }]),
  ]
  const annotations = {
    'evenkeel.dev/roll-attempt': String(attempt),
    'evenkeel.dev/roll-task': task,
    'evenkeel.dev/roll-generation': String(generation),
  }
  const metadata = {
    namespace: 'evenkeel',
    name: `roll-kernel-u1-${attempt}`,
    uid: `j${attempt}`,
    resourceVersion: '1',
    annotations,
  }
  return ROLL_JOBS.parse(new Untrusted({ metadata, spec: { suspend }, status: { active, conditions } }, 'job'))
}

const failed = (seconds: number, more: JobGiven = {}): RollJob => job({ ...more, ended: ['Failed', seconds] })
const complete = (more: JobGiven = {}): RollJob => job({ ...more, ended: ['Complete', 5] })
const held = (object: string): Partial<SeenRun> => ({
  held: [{ code: 'GateFails', object, text: 'passWhen is false' }],
  nodes: [{ name: 'n1', state: 'inWork', failedRequests: 0, podsMoved: 0 }],
})

/** `State Reason: actions`. */
function shown(s: RollObjectSnapshot): string {
  const { state, reasons, actions } = answerOf(s)
  const did = actions.map((action) =>
    action.kind === 'createJob'
      ? `${action.task} ${action.attempt}${action.run === undefined ? '' : ` of ${action.run}`}${action.isLost === true ? ' by records' : ''}`
      : action.kind,
  )
  return `${state} ${reasons.map(({ code }: Reason) => code).join(' ')}: ${did.join(', ') || 'nothing'}`
}

const ROWS: readonly (readonly [title: string, given: Given, wanted: string])[] = [
  ['new', { begun: false }, 'Waiting RollBegins: mark'],
  ['new, wrong file', { begun: false, faults: ['spec.soak: no'] }, 'Stopped RollRefused: nothing'],
  ['new, paused', { begun: false, spec: { paused: true } }, 'Waiting RollPaused: nothing'],
  ['new, another one works', { begun: false, goesFirst: 'a' }, 'Waiting RollWaits RollBegins: nothing'],
  ['new, a copy of one that was run', { begun: 'other' }, 'Stopped RollCopied: nothing'],
  ['marked, no file', { hasFile: false }, 'Running RollBegins: createFile'],
  ['marked, no Job', {}, 'Running RollBegins: begin 1'],
  ['marked together with an older one', { goesFirst: 'a' }, 'Running RollWaits RollBegins: nothing'],
  ['its Job was deleted, another one works', { run: {}, goesFirst: 'a' }, 'Running RollBegins: begin 1'],
  ['plan is made', { jobs: [job()] }, 'Running RollRuns: nothing'],
  ['runs', { jobs: [job()], run: {} }, 'Running RollRuns: nothing'],
  ['runs, its file was edited', { jobs: [job()], run: {}, isEdited: true }, 'Running RollRuns RollEdited: nothing'],
  [
    'runs, its file was edited into a wrong one',
    { jobs: [job()], run: {}, isEdited: true, faults: ['spec.soak: no'] },
    'Running RollRuns RollEdited: nothing',
  ],
  [
    'its pod was lost a minute ago, its file was edited into a wrong one',
    { jobs: [failed(61)], run: {}, isEdited: true, faults: ['spec.soak: no'] },
    'Held RunnerFailed RollEdited: begin 2',
  ],
  [
    'marked, no file, edited into a wrong one',
    { hasFile: false, faults: ['spec.soak: no'] },
    'Stopped RollRefused: nothing',
  ],
  [
    'its pod was lost, its file was deleted and edited into a wrong one',
    { jobs: [failed(61)], run: {}, hasFile: false, faults: ['spec.soak: no'] },
    'Held RollRefused: nothing',
  ],
  [
    'abort, its journal and its file are gone, edited into a wrong one',
    { status: { run: 'run-1' }, spec: { abort: true }, hasFile: false, faults: ['spec.soak: no'] },
    'Aborting RollRefused RollAborting: nothing',
  ],
  [
    'runs, a replacement removed its mark and paused it',
    { begun: false, jobs: [job()], run: {}, spec: { paused: true } },
    'Running RollRuns: mark',
  ],
  [
    'runs, a replacement removed its mark while another one waits',
    { begun: false, jobs: [job()], run: {}, goesFirst: 'a' },
    'Running RollRuns: mark',
  ],
  ['runs, spec edited meanwhile', { jobs: [job()], run: {}, generation: 5 }, 'Running RollRuns: nothing'],
  ['held', { jobs: [job()], run: { held: [{ code: 'RequestsFailing', text: 'x' }] } }, 'Held RequestsFailing: nothing'],
  ['held by a pause', { jobs: [job()], run: held('may-begin'), spec: { paused: true } }, 'Held RollPaused: nothing'],
  [
    'held for an approval',
    { jobs: [job()], run: held('may-begin'), spec: { approval: 'perNode' } },
    'Held RollNotApproved: nothing',
  ],
  ['completed', { jobs: [complete()], run: ended('completed') }, 'Succeeded RollDone: nothing'],
  ['no node needs it', { jobs: [complete()] }, 'Succeeded RollDone: nothing'],
  [
    'stopped, its pod keeps a node out',
    { jobs: [job()], run: ended('stopped', ['n1']) },
    'Stopped RollStopped: nothing',
  ],
  ['stopped', { jobs: [failed(5)], run: ended('stopped') }, 'Stopped RollStopped: nothing'],
  ['ended held', { jobs: [failed(5)], run: ended('held') }, 'Held RollStopped: nothing'],
  [
    'ended held, approved since',
    { jobs: [failed(5)], run: ended('held'), generation: 2 },
    'Held RollStopped: resume 2 of run-1',
  ],
  [
    'ended held, paused since',
    { jobs: [failed(5)], run: ended('held'), generation: 2, spec: { paused: true } },
    'Held RollStopped: nothing',
  ],
  [
    'ended held, approved since, another one works',
    { jobs: [failed(5)], run: ended('held'), generation: 2, goesFirst: 'a' },
    'Held RollWaits RollStopped: nothing',
  ],
  ['plan refused', { jobs: [failed(5)], podEnd: { exitCode: 2, message: 'x' } }, 'Stopped RollRefused: nothing'],
  ['plan blocked', { jobs: [failed(5)], podEnd: { exitCode: 3, message: 'x' } }, 'Held RollBlocked: nothing'],
  [
    'plan blocked five minutes ago',
    { jobs: [failed(301)], podEnd: { exitCode: 3, message: 'x' } },
    'Held RollBlocked: begin 2',
  ],
  [
    'plan blocked, edited since',
    { jobs: [failed(5)], podEnd: { exitCode: 3, message: 'x' }, generation: 2 },
    'Held RollBlocked: begin 2',
  ],
  ['its pod was lost', { jobs: [failed(5)], run: {} }, 'Held RunnerFailed: nothing'],
  ['its pod was lost a minute ago', { jobs: [failed(61)], run: {} }, 'Held RunnerFailed: begin 2'],
  [
    'its pod was lost, and exits with 2 afterwards',
    { jobs: [failed(61)], run: {}, podEnd: { exitCode: 2, message: 'x' } },
    'Held RunnerFailed: begin 2',
  ],
  [
    'its pod was lost a minute ago, another one works',
    { jobs: [failed(61)], run: {}, goesFirst: 'a' },
    'Held RunnerFailed: begin 2',
  ],
  ['its Job was deleted by a person', { run: {}, status: { run: 'run-1' } }, 'Running RollBegins: begin 1'],
  [
    'its journal was deleted by a person',
    { jobs: [failed(61)], status: { run: 'run-1' } },
    'Stopped RollJournalGone: nothing',
  ],
  [
    'succeeded, its Job and journal are gone',
    { status: { run: 'run-1', conditions: [{ type: 'Succeeded', status: 'True', reason: 'RollDone' }] } },
    'Succeeded RollDone: release',
  ],
  [
    'stopped, its Job and journal are gone',
    { status: { run: 'run-1', conditions: [{ type: 'Stopped', status: 'True' }] } },
    'Stopped RollStopped: nothing',
  ],
  [
    'aborted, its Job and journal are gone',
    {
      status: { run: 'run-1', state: 'Aborted', conditions: [{ type: 'Stopped', status: 'True' }] },
      spec: { abort: true },
    },
    'Aborted RollStopped: release',
  ],
  [
    'aborted, its status has a node that is out',
    {
      status: {
        ...{ run: 'run-1', state: 'Aborted', conditions: [{ type: 'Stopped', status: 'True' }] },
        nodes: [{ name: 'n1', state: 'Out' }],
      },
    },
    'Aborted RollStopped: nothing',
  ],
  [
    'deleted, its end is known by its status alone',
    {
      deleted: true,
      status: {
        run: 'run-1',
        state: 'Succeeded',
        conditions: [{ type: 'Succeeded', status: 'True', reason: 'RollDone' }],
      },
    },
    'Succeeded RollDone: release',
  ],
  [
    'deleted, it was stopped and its journal is gone',
    { deleted: true, status: { run: 'run-1', state: 'Stopped', conditions: [{ type: 'Stopped', status: 'True' }] } },
    'Aborting RollAborting: abort 1 of run-1 by records',
  ],
  ['abort, never begun', { begun: false, spec: { abort: true } }, 'Aborted RollStopped: nothing'],
  [
    'abort while it runs',
    { jobs: [job({ active: 1 })], run: {}, spec: { abort: true } },
    'Aborting RollAborting: suspendJob',
  ],
  [
    'abort while the plan is made',
    { jobs: [job({ active: 1 })], spec: { abort: true } },
    'Aborting RollAborting: suspendJob',
  ],
  [
    'abort, its pod is stopping',
    { jobs: [job({ suspend: true, active: 1 })], run: {}, spec: { abort: true } },
    'Aborting RollAborting: nothing',
  ],
  [
    'abort, its pod has stopped',
    { jobs: [job({ suspend: true })], run: {}, spec: { abort: true } },
    'Aborting RollAborting: abort 2 of run-1',
  ],
  [
    'abort, its pod has stopped before a run',
    { jobs: [job({ suspend: true })], spec: { abort: true } },
    'Aborted RollStopped: nothing',
  ],
  [
    'abort while it keeps a node out',
    { jobs: [job({ active: 1 })], run: ended('stopped', ['n1']), spec: { abort: true } },
    'Aborting RollAborting: suspendJob',
  ],
  [
    'abort at work',
    { jobs: [job({ suspend: true }), job({ attempt: 2, task: 'abort', active: 1 })], run: {}, spec: { abort: true } },
    'Aborting RollAborting: nothing',
  ],
  [
    'abort failed',
    { jobs: [failed(5, { attempt: 2, task: 'abort' })], run: {}, spec: { abort: true } },
    'Aborting RunnerFailed RollAborting: nothing',
  ],
  [
    'abort failed a minute ago',
    { jobs: [failed(61, { attempt: 2, task: 'abort' })], run: {}, spec: { abort: true } },
    'Aborting RollAborting: abort 3 of run-1',
  ],
  [
    'aborted',
    { jobs: [complete({ attempt: 2, task: 'abort' })], run: ended('aborted'), spec: { abort: true } },
    'Aborted RollStopped: nothing',
  ],
  [
    'abort of one that succeeded',
    { jobs: [complete()], run: ended('completed'), spec: { abort: true } },
    'Succeeded RollDone: nothing',
  ],
  [
    'abort, its journal is gone',
    { jobs: [failed(61)], status: { run: 'run-1' }, spec: { abort: true } },
    'Aborting RollAborting: abort 2 of run-1 by records',
  ],
  [
    'abort by records found none',
    {
      jobs: [failed(5, { attempt: 2, task: 'abort' })],
      status: { run: 'run-1' },
      spec: { abort: true },
      podEnd: { exitCode: 2, message: 'error: no node of this cluster carries a record (abort.nothing-out)' },
    },
    'Aborted RollStopped: nothing',
  ],
  [
    'abort by records found records that it cannot read',
    {
      jobs: [failed(5, { attempt: 2, task: 'abort' })],
      status: { run: 'run-1' },
      deleted: true,
      podEnd: { exitCode: 2, message: 'error: n1 carries a record that cannot be read (abort.record-unreadable)' },
    },
    'Aborting RunnerFailed RollAborting: nothing',
  ],
  [
    'abort taken back before anything was put back',
    { jobs: [job({ suspend: true })], run: {} },
    'Running RollBegins: continueJob',
  ],
  ['deleted, never begun', { begun: false, deleted: true }, 'Aborted RollStopped: nothing'],
  [
    'deleted while it runs',
    { deleted: true, jobs: [job({ active: 1 })], run: {} },
    'Aborting RollAborting: suspendJob',
  ],
  [
    'deleted, put back',
    { deleted: true, jobs: [complete({ attempt: 2, task: 'abort' })], run: ended('aborted') },
    'Aborted RollStopped: release',
  ],
  [
    'deleted after its end',
    { deleted: true, jobs: [complete()], run: ended('completed') },
    'Succeeded RollDone: release',
  ],
  [
    'deleted, its file is gone',
    { deleted: true, hasFile: false, run: {}, jobs: [job({ suspend: true })] },
    'Aborting RollAborting: createFile',
  ],
]

test('law: a Roll whose run has come to an end is never begun again', () => {
  for (const [title, of] of ROWS)
    for (const type of ['Succeeded', 'Stopped'] as const) {
      if ((of.begun ?? true) !== true) continue
      const status = { run: 'run-1', conditions: [{ type, status: 'True' }] }
      const { actions } = answerOf(given({ ...of, status, spec: {}, generation: 9 }))
      const begun = actions.filter((action) => action.kind === 'createJob' && action.task !== 'abort')
      assert.deepEqual(begun, [], `${title}, ${type}`)
    }
})

for (const [title, of, wanted] of ROWS) {
  test(`a Roll: ${title}`, () => {
    assert.equal(shown(given(of)), wanted)
  })
}
