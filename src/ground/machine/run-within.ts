import { type Context, createContext, Script } from 'node:vm'

type RunEnd<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'too long' }

const CALL = new Script('run()')
let context: Context | undefined

/**
 * Runs synchronous code that a user's text steers, and ends it after `limitMs`. The watchdog of `node:vm` ends JavaScript and
 * regular expressions wherever they are, which no counter of ours could. It separates nothing: the code is ours, and runs in
 * this process. What it throws is thrown here. What it was changing when it was ended is not to be used again.
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

/** The error is one of the context: to this program it is no instance of Error. */
const isTimeout = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
