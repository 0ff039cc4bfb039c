import type { Finding } from '../../../ground/model/finding.ts'
import type { CauseCode } from '../causes.ts'
import type { SceneVantage } from '../scene.ts'

/** What a finding is about. */
export interface Subject {
  readonly kind: 'pod' | 'node' | 'service' | 'vantage' | 'cluster'
  readonly name: string
}

/** Its text and its cure are those of the cause. */
export interface DnsFinding extends Pick<Finding, 'code'> {
  readonly code: CauseCode
  readonly subjects: readonly Subject[]
  /** The readings that led to the finding, a sentence each. */
  readonly evidence: readonly string[]
}

/** These places, each once: by its node where it is on one. */
export const placesOf = (vantages: readonly SceneVantage[]): readonly Subject[] => [
  ...new Map(
    vantages.map(({ name, node }): readonly [string, Subject] => [
      node ?? name,
      node === undefined ? { kind: 'vantage', name } : { kind: 'node', name: node },
    ]),
  ).values(),
]
