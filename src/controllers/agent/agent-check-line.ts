import type { Answer } from '../../model/answer.ts'

/**
 * In HAProxy's words (configuration.txt 5.2, `agent-check`). `drain` does not lift a server that an agent took down, and
 * `up` lifts no drain: an operator's own drain or maint is never undone, and ours only by `up ready`.
 */
const LINES: Readonly<Record<Answer, string>> = { up: 'up', drain: 'up drain', down: 'down' }

/** `isRestoring`: a drain of our own has ended, and not every checker has read that yet. */
export const agentCheckLine = (answer: Answer, isRestoring = false): string =>
  answer === 'up' && isRestoring ? 'up ready' : LINES[answer]
