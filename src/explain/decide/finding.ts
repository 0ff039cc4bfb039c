import type { Finding } from '../../ground/model/finding.ts'
import { type Command, isCommand, plainText, type Sentence } from '../../ground/model/sentence.ts'

/** What a finding is about. */
export type Part = 'node' | 'pod' | 'drain' | 'service' | 'budget' | 'guard' | 'ingress' | 'brake' | 'roll' | 'dns'

/** What would change it: a command to paste, or a sentence. */
export interface Next {
  readonly command?: Command
  /** What the command does, or what to do where there is none. */
  readonly note: Sentence
}

/** A command with what is said of it, or what is said instead of one. */
export const nextText = (next: Sentence, note = ''): Next =>
  isCommand(next) ? { command: next, note } : { note: next }

/** One thing that was found out about a node or a pod. */
export interface ExplainFinding extends Omit<Finding, 'fix'> {
  readonly part: Part
  /** `stuck`: nothing is working on it; `waits`: it ends when something else does; `fact`: nothing waits for it. */
  readonly is: 'stuck' | 'waits' | 'fact'
  /** `n1`, `shop/cart-0`. */
  readonly subject: string
  /** The evidence for it. */
  readonly evidence: readonly string[]
  readonly next: readonly Next[]
}

type Given = Omit<ExplainFinding, 'evidence' | 'next'> & Partial<Pick<ExplainFinding, 'evidence' | 'next'>>

export const finding = (given: Given): ExplainFinding => ({ evidence: [], next: [], ...given })

/** As a sentence of its own: a roll shortens it, so that its line of progress has room for the numbers. */
export function asSentence(text: string): string {
  const [all, pod, budget, needed] = /^(\S+), budget (\S+) needs (\S+) healthy, has /.exec(text) ?? []
  if (all === undefined) return text
  const pods = needed === '1' ? '1 healthy pod' : `${needed} healthy pods`
  return `${pod} cannot be evicted, because budget ${budget} needs ${pods} and has ${text.slice(all.length)}`
}

/** What is known of a node or a pod, the cause first. */
export interface Explanation {
  /** Its state, as one word. */
  readonly state: string
  /** The same with the cause, as one sentence without a full stop. */
  readonly verdict: string
  readonly findings: readonly ExplainFinding[]
}

/** Equal findings from two sources, such as a roll and a dry run, become one, with all evidence. */
export function together(findings: readonly ExplainFinding[]): readonly ExplainFinding[] {
  const groups = Map.groupBy(findings, ({ code, subject, text }) => `${code} ${subject} ${text}`)
  return [...groups.values()].flatMap((group) => {
    const first = group.find(({ is }) => is === 'stuck') ?? group.find(({ is }) => is === 'waits') ?? group[0]
    if (first === undefined) return []
    const next = new Map(group.flatMap((one) => one.next).map((one) => [plainText(one.command ?? one.note), one]))
    return [{ ...first, evidence: [...new Set(group.flatMap(({ evidence }) => evidence))], next: [...next.values()] }]
  })
}

/** Facts come last; the others are in the order of the parts, and in each `stuck` comes before `waits`. */
export function ordered(findings: readonly ExplainFinding[], parts: readonly Part[]): readonly ExplainFinding[] {
  const rankOf = ({ part, is }: ExplainFinding): number => {
    const at = parts.indexOf(part)
    return (is === 'fact' ? 1_000 : 0) + (at < 0 ? parts.length : at) * 10 + (is === 'stuck' ? 0 : 1)
  }
  return findings.toSorted((one, other) => rankOf(one) - rankOf(other))
}

/** The first finding that blocks. */
export const causeOf = ([first]: readonly ExplainFinding[]): ExplainFinding | undefined =>
  first?.is === 'fact' ? undefined : first
