import { waitFor } from '../../../testbed/machine/wait-for.ts'
import type { OperationPlace } from './operation-place.ts'
import type { Arranged, OperationRow } from './operation-row.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/** Until the node is drained, on a bed. */
const UNTIL_DRAINED_MS = 75_000

/** A window that opened some ten minutes ago, the shortest that a file may have, and closes then. */
function openUntil(closesAtMs: number): object {
  const opensAtMs = Math.floor((closesAtMs - 10 * MINUTE_MS) / MINUTE_MS) * MINUTE_MS
  const opens = new Date(opensAtMs)
  const cron = `${opens.getUTCMinutes()} ${opens.getUTCHours()} * * *`
  return { zone: 'UTC', open: [{ cron, duration: `${closesAtMs - opensAtMs}ms` }], waitLimit: '0s' }
}

/** A gate before the reboot keeps the drained node waiting until the window has closed. */
function closesInTheWork(place: OperationPlace, onClose: 'restore' | 'finish'): Arranged {
  const closesAtMs = Date.now() + UNTIL_DRAINED_MS
  const { gate, open } = place.door('reboot')
  return {
    spec: { gates: [gate], window: { ...openUntil(closesAtMs), onClose } },
    async meanwhile(roll) {
      await roll.untilHeld('GateFails')
      if (onClose === 'restore') return
      const limitMs = UNTIL_DRAINED_MS + 5_000
      await waitFor({ what: 'the end of the window', limitMs }, () => Date.now() > closesAtMs + 1_000 || undefined)
      await open()
    },
  }
}

/** Time windows that are closed, or that close while a node is out. */
export const WINDOW_ROWS: readonly OperationRow[] = [
  {
    situation: 'a window that is closed, for a roll that does not wait for the next one',
    nodes: ['n1'],
    arrange() {
      const opens = new Date(Date.now() + 6 * HOUR_MS)
      const open = [{ cron: `0 ${opens.getUTCHours()} * * *`, duration: '1h' }]
      return { spec: { window: { zone: 'UTC', open, waitLimit: '0s' } } }
    },
    exit: 3,
    says: ['WindowClosed'],
    words: [/no time window is open; the next one opens/],
    leaves: {},
  },
  {
    situation: 'a window that closes when the node is drained, with onClose restore',
    nodes: ['n1'],
    arrange: (place) => closesInTheWork(place, 'restore'),
    exit: 3,
    says: ['GateFails', 'WindowClosed'],
    words: [/the time window closed before the reboot of n1 was announced, so n1 is put back/],
    leaves: {},
  },
  {
    situation: 'a window that closes when the node is drained, with onClose finish',
    nodes: ['n1'],
    arrange: (place) => closesInTheWork(place, 'finish'),
    exit: 0,
    says: ['GateFails'],
    words: [],
    leaves: { boots: { n1: 1 } },
  },
]
