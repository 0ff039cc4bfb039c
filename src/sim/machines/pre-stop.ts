import type { NodePod } from './node-pod.ts'

/** `sleep 5`, alone or within a shell's `-c`. */
const SLEEP = /(?:^|[\s;&])sleep (\d+(?:\.\d+)?)\b/

/** How long the longest preStop hook of a pod takes, as far as it sleeps; other commands take no time. */
export function preStopMs({ spec }: NodePod): number {
  const hooks = spec.containers.map(({ lifecycle }) => lifecycle?.preStop)
  const seconds = hooks.map((hook) => hook?.sleep?.seconds ?? sleepIn(hook?.exec?.command ?? []))
  return 1_000 * Math.max(0, ...seconds)
}

const sleepIn = (command: readonly string[]): number => Number(SLEEP.exec(command.join(' '))?.[1] ?? 0)
