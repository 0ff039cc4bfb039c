import process from 'node:process'

/** Processor time of this process since `before`: other work on the machine does not count as ours. */
export function spentMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return Math.round((user + system) / 100) / 10
}
