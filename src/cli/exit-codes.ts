import type { RollOutcome } from '../model/roll-event.ts'

/** 2: wrong usage or input, nothing was touched. */
export const EXIT_USAGE = 2
export const EXIT_FAILED = 1
export const EXIT_INTERRUPTED = 130

/** 0 done and nothing failed, 1 failed, stopped or aborted, 3 held at a limit (safe, can be resumed), 130 interrupted. */
export function rollExitCode(outcome: RollOutcome, failedRequests: number): number {
  switch (outcome) {
    case 'completed':
      return failedRequests === 0 ? 0 : EXIT_FAILED
    case 'stopped':
    case 'aborted':
      return EXIT_FAILED
    case 'held':
      return 3
    case 'interrupted':
      return EXIT_INTERRUPTED
  }
}
