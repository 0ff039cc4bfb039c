/** Rules of users over objects of the API, in the Common Expression Language (https://github.com/google/cel-spec). */
export interface ObjectRules {
  /** Why the expression cannot be used; undefined: it can. */
  fault(expression: string): string | undefined
  /** Neither throws nor blocks for long, whatever the expression and the object are. */
  evaluate(expression: string, given: RuleInput): RuleAnswer | Promise<RuleAnswer>
}

/** The variables of an expression. */
export interface RuleInput {
  /** Whose time it takes: the namespace of the author. */
  readonly of: string
  /** As the API's JSON has it. */
  readonly object: unknown
  /** The node's name. */
  readonly node: string
}

/** Whatever is not plainly true or false is unknown. `why` is one line, and is safe to show. */
export type RuleAnswer =
  | { readonly kind: 'true' }
  | { readonly kind: 'false' }
  | { readonly kind: 'unknown'; readonly why: string }
