import type { WallMs } from './time.ts'

/** What a server shows and proves, in PEM. */
export interface ServingPair {
  readonly certificate: string
  readonly key: string
}

/** What a certificate says, as far as it is gone by. */
export interface CertificateFacts {
  /** DNS names and IP addresses. */
  readonly names: readonly string[]
  readonly from: WallMs
  readonly until: WallMs
}
