import type { Schema } from '../../../ground/model/schema/open-api.ts'
import type { Untrusted } from '../../../ground/model/untrusted.ts'

/** One kind of hold. A hold has one field, which has the name of its kind. */
export interface HoldKind<Written> {
  /** What that field may have. */
  readonly schema: Schema
  /** Throws MalformedReply. */
  parse(field: Untrusted): Written
  /** When it is clear for a node, as a sentence without a full stop. */
  clearText(hold: Written, node: string): string
}
