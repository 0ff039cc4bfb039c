import type { ObjectKind } from '../../ground/model/object-kind.ts'
import { type OwnedObject, parseOwnedObject } from '../../ground/model/owned-object.ts'
import type { Untrusted } from '../../ground/model/untrusted.ts'

/** On a Job: the UID of its Roll. */
export const ROLL_UID_LABEL = 'evenkeel.dev/roll-uid'

/** On a Job: which one of its Roll it is, from 1. */
export const ATTEMPT_ANNOTATION = 'evenkeel.dev/roll-attempt'

/** On a Job: what its pod does. */
export const TASK_ANNOTATION = 'evenkeel.dev/roll-task'

/** On a Job: the generation of the Roll that it was made for. */
export const GENERATION_ANNOTATION = 'evenkeel.dev/roll-generation'

/** `begin`: begins the run, or continues it by its key. `resume`: continues a run that was held. `abort`: puts its nodes back. */
const ROLL_TASKS = ['begin', 'resume', 'abort'] as const

export type RollTask = (typeof ROLL_TASKS)[number]

/** A Job whose pod runs a roll. */
export interface RollJob extends OwnedObject {
  readonly task: RollTask
  readonly attempt: number
  readonly ofGeneration: number
  /** `stopping`: it was suspended, and its pod has not ended yet. */
  readonly state: 'active' | 'stopping' | 'suspended' | 'complete' | 'failed'
  /** ISO 8601; empty while it has not ended. */
  readonly endedAt: string
}

export const ROLL_JOBS: ObjectKind<RollJob> = {
  group: 'batch',
  version: 'v1',
  resource: 'jobs',
  kind: 'Job',
  namespaced: true,
  parse: parseRollJob,
}

function parseRollJob(object: Untrusted): RollJob {
  const owned = parseOwnedObject(object)
  const { annotations } = owned
  const task = ROLL_TASKS.find((one) => one === annotations[TASK_ANNOTATION]) ?? 'begin'
  return {
    ...owned,
    task,
    attempt: Number.parseInt(annotations[ATTEMPT_ANNOTATION] ?? '', 10) || 1,
    ofGeneration: Number.parseInt(annotations[GENERATION_ANNOTATION] ?? '', 10) || 0,
    ...stateOf(object),
  }
}

function stateOf(object: Untrusted): Pick<RollJob, 'state' | 'endedAt'> {
  const status = object.at('status')
  const isTrue = status
    .at('conditions')
    .each()
    .filter((condition) => condition.at('status').textOr('') === 'True')
  const ended = (type: string): string | undefined =>
    isTrue
      .find((condition) => condition.at('type').textOr('') === type)
      ?.at('lastTransitionTime')
      .textOr('')
  const [complete, failed] = [ended('Complete'), ended('Failed')]
  if (complete !== undefined) return { state: 'complete', endedAt: complete }
  if (failed !== undefined) return { state: 'failed', endedAt: failed }
  if (!object.at('spec').at('suspend').flagOr(false)) return { state: 'active', endedAt: '' }
  const left = status.at('active').integerOr(0) + status.at('terminating').integerOr(0)
  const isSeen = ended('Suspended') !== undefined
  return { state: isSeen && left === 0 ? 'suspended' : 'stopping', endedAt: '' }
}
