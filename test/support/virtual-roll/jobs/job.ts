import type { FleetReport } from '../../fleet/fleet-report.ts'
import type { DnsReport } from '../../virtual-dns/run-dns-seed.ts'
import type { GuardReport } from '../../virtual-guard/run-guard-seed.ts'
import type { IngressReport } from '../../virtual-ingress/run-ingress-seed.ts'
import type { OperatorReport } from '../../virtual-operator/run-operator-seed.ts'
import type { CrashPlan, CrashRun } from '../crash/crash-run.ts'
import type { PlanReport } from '../swarm/run-plan-seed.ts'
import type { SeedReport } from '../swarm/seed-report.ts'

/** Something that a worker does in a process of its own. */
export type Job = World & {
  /** The rules that are taken away from the engine, by their ids, in a tree whose rules can be switched off. */
  readonly without?: readonly string[]
  /** In virtual time: within this a roll has to end without them. */
  readonly withinMs?: number
}

type World =
  | { readonly kind: 'seed'; readonly seed: string }
  /** The world of that seed, with pods that leave politely. */
  | { readonly kind: 'polite'; readonly seed: string }
  /** The world of that seed, with a roll file whose fields are drawn. */
  | { readonly kind: 'file'; readonly seed: string }
  /** That world with something wrong before the roll, and nothing on the way: what its plan tells. */
  | { readonly kind: 'plan'; readonly seed: string }
  | { readonly kind: 'crash'; readonly plan: CrashPlan }
  | { readonly kind: 'fleet'; readonly seed: string }
  | { readonly kind: 'ingress'; readonly seed: string }
  | { readonly kind: 'guard'; readonly seed: string }
  | { readonly kind: 'dns'; readonly seed: string }
  | { readonly kind: 'operator'; readonly seed: string }
  /** A test file by its path, with worlds of its own or none. */
  | { readonly kind: 'test'; readonly file: string }

export type JobReport = Outcome & {
  /** The rules that had something to say, by their ids, in a tree whose rules can be switched off. */
  readonly spoken?: readonly string[]
}

type Outcome =
  | { readonly kind: 'seed' | 'polite' | 'file'; readonly report: SeedReport }
  | { readonly kind: 'plan'; readonly report: PlanReport }
  | { readonly kind: 'fleet'; readonly report: FleetReport }
  | { readonly kind: 'ingress'; readonly report: IngressReport }
  | { readonly kind: 'guard'; readonly report: GuardReport }
  | { readonly kind: 'dns'; readonly report: DnsReport }
  | { readonly kind: 'operator'; readonly report: OperatorReport }
  | { readonly kind: 'crash'; readonly plan: CrashPlan; readonly run: CrashRun }
  | { readonly kind: 'test'; readonly failed: readonly string[] }
  /** Not even the world came about, or the work threw. */
  | { readonly kind: 'thrown'; readonly job: Job; readonly error: string }

/** What was seen that must not be, each with the checker that saw it. None: all is well. */
export function complaints(report: JobReport): readonly string[] {
  if (report.kind === 'thrown') return [`thrown: ${report.error}`]
  if (report.kind === 'test') return report.failed
  const { violations } = report.kind === 'crash' ? report.run : report.report
  return violations.map(({ checker, atMs, text }) => `${checker} at ${(atMs / 1000).toFixed(1)} s: ${text}`)
}
