/** Asks programs by HTTP whether something of theirs still holds a node. */
export interface HoldSource {
  /** Why a JSON path (RFC 9535) cannot be used; undefined: it can. */
  pathFault(path: string): string | undefined
  /** Rejects with the signal's reason alone; whatever else happens is an answer. */
  ask(question: HoldQuestion, signal: AbortSignal): Promise<HoldAnswer>
}

/** One GET. With `jsonPath` and `equals`, the one value at that path has to be that text; the body has to contain `contains`. */
export interface HoldQuestion {
  /** Whose time a JSON path takes: the namespace of the author. Absent: that of who runs this process. */
  readonly of?: string
  /** Without placeholders. */
  readonly url: string
  readonly jsonPath?: string
  readonly equals?: string
  readonly contains?: string
  /** Both included; an answer outside of it holds. Absent: 200 to 299, and an answer outside of that is unknown. */
  readonly expectStatus?: readonly [low: number, high: number]
  readonly headers?: Readonly<Record<string, string>>
  /** From the first look-up of the name to the last byte of the body. */
  readonly timeoutMs: number
}

/** `evidence` and `why` are one line, safe to show; of a body they have at most 100 characters of the value at the path. */
export type HoldAnswer =
  | { readonly kind: 'clear'; readonly evidence: string }
  | { readonly kind: 'held'; readonly evidence: string }
  | { readonly kind: 'unknown'; readonly why: string }
