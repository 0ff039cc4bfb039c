import { present } from './present.ts'
import { MalformedReply, Untrusted } from './untrusted.ts'

/** On a pod that leaves politely: its labels as they were, so that they can be restored from the pod alone. */
export const POLITE_ANNOTATION = 'evenkeel.dev/polite'
/** The label by which each ReplicaSet of a Deployment selects its own pods. */
export const HASH_LABEL = 'pod-template-hash'
/** The value of each label that was overwritten: another value shows that others have changed the label since. */
export const LEAVING_VALUE = 'evenkeel-leaving'

/** Written with the first change to the pod, and removed with the last one if the pod stays. */
export interface PoliteMark {
  readonly version: 1
  readonly run: string
  readonly node: string
  /** The workload that starts another pod for it (`Kind namespace/name`). */
  readonly workload: string
  /** How many of its pods were Ready with this one, where more than the roll had recorded: they came to be Ready only then. */
  readonly ready?: number
  /** All labels of the pod before the first change. */
  readonly labels: Readonly<Record<string, string>>
}

export const formatPoliteMark = (mark: PoliteMark): string => JSON.stringify(mark)

/** Undefined where it makes no sense: the pod counts as unchanged. */
export function parsePoliteMark(text: string): PoliteMark | undefined {
  try {
    const raw = new Untrusted(JSON.parse(text) as unknown, 'mark')
    if (raw.at('version').optionalInteger() !== 1) return undefined
    return {
      version: 1,
      run: raw.at('run').text(),
      node: raw.at('node').text(),
      workload: raw.at('workload').text(),
      ...present({ ready: raw.at('ready').optionalInteger() }),
      labels: raw.at('labels').textMap(),
    }
  } catch (error) {
    if (error instanceof MalformedReply || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The labels of a pod before a polite drain overwrote some. */
export function labelsBefore({
  labels,
  polite,
}: Pick<PoliteMark, 'labels'> & { readonly polite?: PoliteMark }): PoliteMark['labels'] {
  if (polite === undefined) return labels
  const overwritten = Object.entries(polite.labels).filter(([key]) => labels[key] === LEAVING_VALUE)
  return { ...labels, ...Object.fromEntries(overwritten) }
}
