import type { SecretRef } from './notify-spec.ts'
import type { Scoped } from './request-scope.ts'

/** Before a node or machine is changed, before its reboot is announced, and before it is put back after its reboot. */
export const GATE_MOMENTS = ['node', 'reboot', 'attach'] as const

export type GateMoment = (typeof GATE_MOMENTS)[number]

export const COMPARISONS = ['<', '<=', '>', '>=', '==', '!='] as const

export interface Comparison {
  readonly operator: (typeof COMPARISONS)[number]
  readonly value: number
}

export interface SecretHeader {
  readonly name: string
  readonly value: SecretRef
}

/** What a gate asks. `{node}` and `{address}` stand for the node in URLs, arguments, queries and names of objects. */
export type GateQuestion =
  | {
      readonly kind: 'http'
      readonly url: string
      readonly expectStatus: readonly [low: number, high: number]
      /** Text that the body must contain. */
      readonly contains?: string
      /** With `equals`: the one value at this path (RFC 9535) must be this text. */
      readonly jsonPath?: string
      readonly equals?: string
      readonly headers: readonly SecretHeader[]
    }
  /** Run on this machine without a shell; exit code 0 passes. */
  | { readonly kind: 'command'; readonly argv: readonly string[] }
  /** An instant query: its one value is compared. */
  | {
      readonly kind: 'prometheus'
      readonly url: string
      readonly query: string
      readonly expect: Comparison
      readonly headers: readonly SecretHeader[]
    }
  /** A condition in CEL on one object of the API. */
  | {
      readonly kind: 'object'
      readonly group: string
      readonly version: string
      readonly resource: string
      readonly namespace?: string
      readonly object: string
      readonly passWhen: string
    }

/** A condition of the operator that must hold before a roll goes on. */
export interface GateSpec extends Scoped {
  readonly name: string
  readonly before: readonly GateMoment[]
  readonly timesInARow: number
  readonly intervalMs: number
  /** The time limit of one question. */
  readonly timeoutMs: number
  /** How long it may hold the roll at one moment. */
  readonly limitMs: number
  readonly question: GateQuestion
}

/** `text` is one line, safe to show. A gate that cannot be asked is unknown, and never passes. */
export interface GateAnswer {
  readonly kind: 'passes' | 'fails' | 'unknown'
  readonly text: string
}
