import { MalformedReply, Untrusted } from './untrusted.ts'

/** On a pod that leaves politely. The pod bears its own way back: the labels as they were. */
export const POLITE_ANNOTATION = 'evenkeel.dev/polite'
/** The label by which each ReplicaSet of a Deployment selects its own pods. */
export const HASH_LABEL = 'pod-template-hash'
/** The value of each label that was overwritten, so that a label that was changed by others since is told apart. */
export const LEAVING_VALUE = 'evenkeel-leaving'

/** Written with the first change to the pod, and taken off with the last one where the pod stays. */
export interface PoliteMark {
  readonly version: 1
  readonly run: string
  readonly node: string
  /** The workload that starts another pod for it (`Kind namespace/name`). */
  readonly workload: string
  /** All labels of the pod before the first change. */
  readonly labels: Readonly<Record<string, string>>
}

export const formatPoliteMark = (mark: PoliteMark): string => JSON.stringify(mark)

/** Undefined where it makes no sense: the pod counts as one that nothing was done to. */
export function parsePoliteMark(text: string): PoliteMark | undefined {
  try {
    const raw = new Untrusted(JSON.parse(text) as unknown, 'mark')
    if (raw.at('version').optionalInteger() !== 1) return undefined
    return {
      version: 1,
      run: raw.at('run').text(),
      node: raw.at('node').text(),
      workload: raw.at('workload').text(),
      labels: raw.at('labels').textMap(),
    }
  } catch (error) {
    if (error instanceof MalformedReply || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** The labels of a pod without what a polite drain has overwritten. */
export function labelsBefore({
  labels,
  polite,
}: Pick<PoliteMark, 'labels'> & { readonly polite?: PoliteMark }): PoliteMark['labels'] {
  if (polite === undefined) return labels
  const overwritten = Object.entries(polite.labels).filter(([key]) => labels[key] === LEAVING_VALUE)
  return { ...labels, ...Object.fromEntries(overwritten) }
}
