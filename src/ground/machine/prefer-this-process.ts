import { spawnSync } from 'node:child_process'
import { constants, setPriority } from 'node:os'

/**
 * Asks the kernel to run this process before others, so that a busy machine does not delay a measurement: real-time scheduling
 * by chrt(1), else the best nice value. Both need a privilege; without it nothing changes, and late requests are counted as
 * late.
 */
export function preferThisProcess(): 'realtime' | 'nice' | 'none' {
  const chrt = spawnSync('chrt', ['--all-tasks', '--rr', '--pid', '1', String(process.pid)], { stdio: 'ignore' })
  if (chrt.status === 0) return 'realtime'
  try {
    setPriority(constants.priority.PRIORITY_HIGHEST)
    return 'nice'
  } catch {
    return 'none'
  }
}
