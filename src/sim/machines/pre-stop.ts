import type { ContainerSpec } from './node-pod.ts'

/** `sleep 5`, alone or within a shell's `-c`. */
const SLEEP = /(?:^|[\s;&])sleep (\d+(?:\.\d+)?)\b/

/** How long the preStop hook of a container takes, as far as it sleeps; other commands take no time. */
export function preStopMs({ lifecycle }: ContainerSpec): number {
  const hook = lifecycle?.preStop
  return 1_000 * (hook?.sleep?.seconds ?? sleepIn(hook?.exec?.command ?? []))
}

const sleepIn = (command: readonly string[]): number => Number(SLEEP.exec(command.join(' '))?.[1] ?? 0)
