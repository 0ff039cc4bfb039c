/**
 * How long a hold for this reason is waited for before the reboot; from the reboot on every wait has its step's own limit.
 *
 * - `by law`: without counting, since it ends by itself or has a limit of its own (`detach.idleLimit`, `reboot.returnLimit`);
 * - `in course`: it makes progress, and may take as long as `drain.stageLimit`;
 * - `baseline`: for traffic to be green, `baseline.limit` of the probe;
 * - `blocked`: something refuses, for `drain.blockedLimit`;
 * - `window`: for the next time window, for `window.waitLimit`;
 * - `none`: nothing waits for it: it goes with an effect, a verdict, or an answer.
 */
type Wait = 'by law' | 'in course' | 'baseline' | 'blocked' | 'window' | 'none'

/** One reason of the catalogue: the source of docs/troubleshooting.md, and of how long a hold is waited for. */
export interface ReasonEntry {
  /** The sentence, nearly as it is printed: people search the page for the text of a hold. */
  readonly is: string
  readonly cause: string
  /** What a person can do. Commands work when they are pasted. */
  readonly cure: string
  readonly wait: Wait
  /** A normal part of the step: shown as progress, and no hold. */
  readonly progress?: true
}

/** Reasons that the same part of the program gives in the same situation. */
export interface ReasonSection {
  readonly title: string
  /** The part of the program that gives them. */
  readonly by: string
  readonly intro: string
  readonly entries: Readonly<Record<string, ReasonEntry>>
}
