import type { CertificateFacts, ServingPair } from '../model/serving-certificate.ts'

/** Makes and reads certificates of X.509. */
export interface Certificates {
  /** A certificate for these names by an authority that is made for it alone: its key is thrown away. */
  make(facts: CertificateFacts): ServingPair & { readonly authority: string }
  /** Undefined where it cannot be read, its key is another, or no certificate of the bundle has signed it. */
  read(pair: ServingPair, bundle: string): CertificateFacts | undefined
  /** The certificates of a bundle that can be read and do not end before `at`, the newest last, in one form. */
  living(bundle: string, at: CertificateFacts['until']): readonly string[]
}
