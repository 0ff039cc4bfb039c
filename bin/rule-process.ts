/**
 * Evaluates expressions of users in a process with little memory. It says that it is there; then each message is a `RuleOrder`, and is answered
 * with a `RuleSignal`. If its parent is gone, it ends.
 */
import process from 'node:process'
import { systemClock } from '../src/ground/machine/system-clock.ts'
import { valueAt } from '../src/ground/net/json-path.ts'
import { CelRules } from '../src/guard/io/cel/object-rules.ts'
import type { RuleOrder, RuleSignal } from '../src/guard/io/cel/process-rules.ts'

const rules = new CelRules(systemClock)
const say = (signal: RuleSignal): void => void process.send?.(signal)

process.once('disconnect', () => process.exit(0))
process.on('message', (message) => {
  // Our own parent sends it.
  const order = message as RuleOrder
  const from = systemClock.monoMs()
  const answer = 'path' in order ? valueAt(order.path, order.json) : rules.evaluate(order.expression, order)
  say({ answer, tookMs: systemClock.monoMs() - from })
})
say('there')
