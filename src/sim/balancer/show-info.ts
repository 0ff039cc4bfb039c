import type { BalancerState } from './balancer-state.ts'

/** What the balancer says of itself. The version tells a reader that no HAProxy answers. */
const VERSION = '2.6.12-embedded'

/** `show info`: the lines that are about the process, not those about its limits. */
export function showInfo(state: BalancerState): string {
  const uptimeS = Math.floor(state.uptimeMs / 1_000)
  const lines: readonly (readonly [string, string | number])[] = [
    ['Name', 'HAProxy'],
    ['Version', VERSION],
    ['Nbproc', 1],
    ['Process_num', 1],
    ['Pid', state.pid],
    ['Uptime', uptimeText(uptimeS)],
    ['Uptime_sec', uptimeS],
    ['Stopping', state.isStopping ? 1 : 0],
    ['Start_time_sec', state.startedAtS],
  ]
  return lines.map(([name, value]) => `${name}: ${value}\n`).join('')
}

function uptimeText(seconds: number): string {
  const days = Math.floor(seconds / 86_400)
  const hours = Math.floor((seconds % 86_400) / 3_600)
  return `${days}d ${hours}h${pad(Math.floor((seconds % 3_600) / 60))}m${pad(seconds % 60)}s`
}

const pad = (value: number): string => String(value).padStart(2, '0')
