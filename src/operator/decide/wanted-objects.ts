import { isJsonObject } from '../../ground/model/json-object.ts'
import { ownedMetadata, type WantedObject } from '../../ground/model/owned/wanted-object.ts'
import { CONTAINER } from '../model/ended-pod.ts'
import {
  ATTEMPT_ANNOTATION,
  GENERATION_ANNOTATION,
  ROLL_UID_LABEL,
  type RollTask,
  TASK_ANNOTATION,
} from '../model/roll-job.ts'
import type { RollObject } from '../model/roll-object.ts'

type Json = Readonly<Record<string, unknown>>

/** Where the container of the template that runs the roll finds its file. */
const FILE_PATH = '/etc/evenkeel/roll/roll.yaml'

const metadata = (roll: RollObject, name: string, annotations: Readonly<Record<string, string>> = {}) =>
  ownedMetadata(
    { apiVersion: 'evenkeel.dev/v1alpha1', kind: 'Roll', name: roll.name, uid: roll.uid },
    { name, labels: { 'app.kubernetes.io/name': 'evenkeel', [ROLL_UID_LABEL]: roll.uid }, annotations },
  )

/** By UID: a successor of the same name has a file of its own. */
export const fileName = ({ name, uid }: RollObject): string => `roll-${name}-${uid.slice(0, 8)}`

const jobName = (roll: RollObject, attempt: number): string => `${fileName(roll)}-${attempt}`

/** The roll file, which cannot be changed any more. */
export const wantedFile = (roll: RollObject, text: string): WantedObject => ({
  metadata: metadata(roll, fileName(roll)),
  immutable: true,
  data: { 'roll.yaml': text },
})

export interface WantedJob {
  readonly task: RollTask
  readonly attempt: number
  /** Of a run that is resumed or aborted. */
  readonly run?: string
  /** Its journal is gone: it is put back by the records on the nodes. */
  readonly isLost?: boolean
}

/** `template`: the `spec` of a Job as the administrator wrote it, with a container `roll`. */
export function wantedJob(roll: RollObject, wanted: WantedJob, template: Json): WantedObject {
  const { task, attempt, run = '', isLost = false } = wanted
  const common = ['--pod=$(POD_NAMESPACE)/$(POD_NAME)', `--state-dir=configmaps:${roll.namespace}`]
  const words: Readonly<Record<RollTask, readonly string[]>> = {
    begin: [
      ...['roll', `--file=${FILE_PATH}`, '--yes', `--once=${roll.uid}`],
      `--reason=Roll ${roll.namespace}/${roll.name}`,
    ],
    resume: ['roll', 'resume', run],
    abort: ['roll', 'abort', run, ...(isLost ? [`--file=${FILE_PATH}`] : [])],
  }
  const annotations = {
    [ATTEMPT_ANNOTATION]: String(attempt),
    [TASK_ANNOTATION]: task,
    [GENERATION_ANNOTATION]: String(roll.generation),
  }
  return {
    metadata: metadata(roll, jobName(roll, attempt), annotations),
    spec: filledIn(template, { args: [...words[task], ...common], file: fileName(roll) }),
  }
}

interface FilledIn {
  readonly args: readonly string[]
  readonly file: string
}

function filledIn(template: Json, { args, file }: FilledIn): Json {
  const pod = objectOf(template.template)
  const spec = objectOf(pod.spec)
  const containers = listOf(spec.containers).map((container) =>
    container.name === CONTAINER
      ? {
          terminationMessagePolicy: 'FallbackToLogsOnError',
          ...container,
          args,
          env: [...listOf(container.env), ...PLACE],
          volumeMounts: [
            ...listOf(container.volumeMounts),
            { name: 'roll-file', mountPath: '/etc/evenkeel/roll', readOnly: true },
          ],
        }
      : container,
  )
  const volumes = [...listOf(spec.volumes), { name: 'roll-file', configMap: { name: file } }]
  return { ...template, template: { ...pod, spec: { ...spec, containers, volumes } } }
}

const fromPod = (name: string, fieldPath: string): Json => ({ name, valueFrom: { fieldRef: { fieldPath } } })
const PLACE = [fromPod('POD_NAMESPACE', 'metadata.namespace'), fromPod('POD_NAME', 'metadata.name')]

const objectOf = (value: unknown): Json => (isJsonObject(value) ? value : {})
const listOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJsonObject) : [])

interface TemplateFault {
  readonly text: string
  readonly fix: string
}

/** What is wrong with a template; empty: it can be used. */
export function templateFaults(template: unknown): readonly TemplateFault[] {
  const job = objectOf(template)
  const spec = objectOf(objectOf(job.template).spec)
  const isNamed = listOf(spec.containers).some(({ name }) => name === CONTAINER)
  const faults: readonly (readonly [isWrong: boolean, text: string, fix: string])[] = [
    [
      !isNamed,
      `spec.template.spec.containers: none is named ${CONTAINER}`,
      `name the container of the run ${CONTAINER}`,
    ],
    [
      spec.restartPolicy !== 'Never',
      'spec.template.spec.restartPolicy: it must be Never',
      'write restartPolicy: Never',
    ],
    [
      job.ttlSecondsAfterFinished !== undefined,
      'spec.ttlSecondsAfterFinished: a Job that is gone looks like one that was never made, so that another one would begin early',
      'remove it: the Jobs of a Roll go with the Roll',
    ],
    ...['parallelism', 'completions'].map(
      (field) =>
        [
          ![undefined, 1].some((one) => one === job[field]),
          `spec.${field}: one pod at a time has the journal of a run`,
          `remove it, or write ${field}: 1`,
        ] as const,
    ),
  ]
  return faults.flatMap(([isWrong, text, fix]) => (isWrong ? [{ text, fix }] : []))
}
