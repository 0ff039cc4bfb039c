import type { ConditionWords } from '../../ground/model/condition.ts'
import type { WantedStatus } from '../../ground/model/object-status.ts'
import { present } from '../../ground/model/present.ts'
import { messageOf, type Reason } from '../../ground/model/reason.ts'
import { type SeenNode, STATE_WORDS } from '../model/run-state.ts'
import { answerOf, type RollAnswer } from './roll-answer.ts'
import type { RollObjectSnapshot } from './snapshot.ts'

/** Objects have a bound in size, and a status is read by people. */
const NODES_MAX = 100
const TEXT_MAX = 512
const MESSAGE_MAX = 4_096

/** The status of a Roll. Undefined: a watch is late, so the status stays as it is. */
export function rollStatus(s: RollObjectSnapshot, refusals: readonly Reason[]): WantedStatus | undefined {
  if (!s.isFresh) return undefined
  const answer = answerOf(s)
  const { run } = s
  const before = s.roll.status.fields
  // Journals are removed after a while; what they said stays.
  const ofRun = run === undefined ? before : runFields(s)
  return {
    conditions: conditions(answer, refusals),
    fields: { ...ofRun, state: answer.state, message: cut(answer.reasons.map(messageOf).join('. '), MESSAGE_MAX) },
  }
}

function runFields({ run, jobs }: RollObjectSnapshot): WantedStatus['fields'] {
  if (run === undefined) return {}
  const { name, total, done, podsMoved, sent, failed, startedAt, endedAt, nodes } = run
  const listed = nodes.toSorted((one, other) => ORDER[one.state] - ORDER[other.state])
  return {
    run: name,
    nodesTotal: total,
    nodesDone: done,
    podsMoved,
    ...present({ requestsSent: sent, requestsFailed: failed, startedAt, endedAt, job: jobs.at(-1)?.name }),
    nodes: listed.slice(0, NODES_MAX).map(nodeFields),
    ...(listed.length > NODES_MAX ? { truncated: true } : {}),
  }
}

const nodeFields = ({ name, state, step, since, failedRequests, podsMoved, text }: SeenNode) => ({
  name,
  state: STATE_WORDS[state],
  ...present({ step, since }),
  requestsFailed: failedRequests,
  podsMoved,
  ...(text === undefined ? {} : { message: cut(text, TEXT_MAX) }),
})

/** Those that a person has to look at come first. */
const ORDER: Readonly<Record<SeenNode['state'], number>> = { out: 0, inWork: 1, gone: 2, restored: 3, inService: 4 }

/** `Reconciling` and `Stalled` are those that kstatus goes by. */
function conditions({ state, reasons }: RollAnswer, refusals: readonly Reason[]): readonly ConditionWords[] {
  const [first] = reasons
  const words = {
    reason: first?.code ?? 'RollRuns',
    message: cut(reasons.map(messageOf).join('. '), MESSAGE_MAX),
  }
  const is = (type: string, holds: boolean): ConditionWords => ({ type, status: holds ? 'True' : 'False', ...words })
  const isUnderWay = state === 'Running' || state === 'Held' || state === 'Aborting'
  const isStopped = state === 'Stopped' || state === 'Aborted'
  const [refusal] = refusals
  const stalled: ConditionWords =
    refusal === undefined
      ? is('Stalled', isStopped)
      : { type: 'Stalled', status: 'True', reason: refusal.code, message: cut(messageOf(refusal), MESSAGE_MAX) }
  return [
    is('Progressing', state === 'Running' || state === 'Aborting'),
    is('Held', state === 'Held'),
    is('Stopped', isStopped),
    is('Succeeded', state === 'Succeeded'),
    is('Reconciling', isUnderWay || state === 'Waiting'),
    stalled,
  ]
}

const cut = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1)}…`)
