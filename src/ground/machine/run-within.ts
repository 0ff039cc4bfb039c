import { type Context, createContext, Script } from 'node:vm'

type RunEnd<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'too long' }

const CALL = new Script('run()')
let context: Context | undefined

/**
 * Runs synchronous code that works on a user's text, and ends it after `limitMs`. The watchdog of `node:vm` ends JavaScript and
 * regular expressions anywhere, which no counter of ours could. It isolates nothing: the code is ours, and runs in this
 * process. Its errors are thrown here. An object that it was changing when it was ended must not be used again.
 */
export function runWithin<T>(limitMs: number, run: () => T): RunEnd<T> {
  context ??= createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } })
  const around = context.run
  context.run = run
  try {
    return { kind: 'done', value: CALL.runInContext(context, { timeout: limitMs, displayErrors: false }) }
  } catch (error) {
    if (isTimeout(error)) return { kind: 'too long' }
    throw error
  } finally {
    context.run = around
  }
}

/** The error belongs to the context: in this program it is no instance of Error. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
