import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { askSocket } from '../../test/support/roll-bed/ask-socket.ts'
import type { Flags } from './flags.ts'

export const LOOK_EVERY_MS = 50

interface MachineFacts {
  readonly socket: string
  readonly dir: string
  readonly nodes: readonly string[]
  readonly signal: AbortSignal
}

/** What HAProxy's socket and the machines' own logs show, asked every 50 ms. */
export async function observeMachines(flags: Flags, { socket, dir, nodes, signal }: MachineFacts): Promise<void> {
  const stops = new Map(nodes.map((node) => [node, stopsOf(dir, node)]))
  while (!signal.aborted) {
    for (const node of nodes) {
      const seen = stopsOf(dir, node)
      if (seen > (stops.get(node) ?? 0)) flags.set(`boot/${node}`, true)
      stops.set(node, seen)
    }
    takeServers(flags, await askSocket(socket, 'show stat'))
    await pause(LOOK_EVERY_MS)
  }
}

/** How often the machine has begun to shut down: its sshd says so in the same moment. */
const stopsOf = (dir: string, node: string): number =>
  readFileSync(join(dir, 'nodes', node, 'log', 'sshd.log'), 'utf8').split('Received signal 15').length - 1

/**
 * `UP`, `DOWN`, `DRAIN`, `MAINT` of `show stat` (management guide 9.1): only DRAIN and MAINT are a client's order. A
 * server that is drained and fails its checks reads DOWN, so an order lasts until the server is UP.
 */
function takeServers(flags: Flags, csv: string): void {
  const [header = '', ...lines] = csv.split('\n')
  const names = header.replace(/^# /, '').split(',')
  for (const line of lines) {
    const row = new Map(line.split(',').map((value, i) => [names[i] ?? '', value]))
    const server = row.get('svname') ?? ''
    const status = row.get('status') ?? ''
    if (!/^n\d+$/.test(server)) continue
    const ordered = /^(DRAIN|MAINT)/.test(status)
    const order = `mark/${server}/${row.get('pxname')}`
    const out = ordered || (status.startsWith('DOWN') && flags.isOn(order))
    flags.set(order, out)
    flags.set(`idle/${server}/${row.get('pxname')}`, out && Number(row.get('scur')) > 0)
    flags.set(`rise/${server}/${row.get('pxname')}`, status.startsWith('DOWN'))
  }
}
