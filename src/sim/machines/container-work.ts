import type { AppBehaviour } from '../plane/app-behaviour.ts'
import { hasAppSettings } from '../plane/app-of-pod.ts'
import type { ContainerSpec } from './node-pod.ts'

const MOMENT_MS = 50
const SLEEP = /(?:^|[\s;&])sleep (\d+(?:\.\d+)?)\b/
const SLEEPS_ON = /(?:^|[\s;&])sleep inf/
const EXIT = /(?:^|[\s;&])exit (\d+)\b/
const FALSE = /(?:^|[\s;&/])false$/
/** The test bed's app as a client: it ends with 1 where it gets no answer. Within its own pod it gets none. */
const GET = /^get https?:\/\/([^/]*)/

/**
 * As far as its command tells; undefined: it runs on until it is told to end. An init container whose command tells nothing is
 * done after a moment, unless it is an app.
 */
export function workOf(container: ContainerSpec, isInit: boolean): AppBehaviour['ends'] {
  const words = [...(container.command ?? []), ...(container.args ?? [])].join(' ')
  if (SLEEPS_ON.test(words)) return undefined
  const exitCode = Number(EXIT.exec(words)?.[1] ?? (FALSE.test(words) ? 1 : 0))
  const seconds = SLEEP.exec(words)?.[1]
  if (seconds !== undefined) return { afterMs: 1_000 * Number(seconds), exitCode }
  const host = GET.exec(words)?.[1]
  if (host !== undefined) return { afterMs: MOMENT_MS, exitCode: host.startsWith('127.') ? 1 : 0 }
  if (EXIT.test(words) || FALSE.test(words)) return { afterMs: MOMENT_MS, exitCode }
  return isInit && !hasAppSettings(container) ? { afterMs: MOMENT_MS, exitCode: 0 } : undefined
}
