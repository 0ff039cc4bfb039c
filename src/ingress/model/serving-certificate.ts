import type { WallMs } from '../../ground/model/time.ts'

/** What a server shows and proves, in PEM. */
export interface ServingPair {
  readonly certificate: string
  readonly key: string
}

/** The facts of a certificate that are used. */
export interface CertificateFacts {
  /** DNS names and IP addresses. */
  readonly names: readonly string[]
  readonly from: WallMs
  readonly until: WallMs
}
