import type { StampedEvent } from '../../../src/roll/model/roll-event.ts'

/**
 * What happened in a roll, a line each: its steps, holds, writes and windows, and how many requests had failed whenever
 * that number grew. For the reader of a red test, who has no cluster any more to look at.
 */
export function story(events: readonly StampedEvent[]): string {
  let failed = 0
  const lines: string[] = []
  // A roll that ends before it begins prints its plan alone.
  for (const event of events.filter(({ at }) => at !== undefined)) {
    const at = event.at.slice(11, 23)
    if (event.type !== 'load.tick') lines.push(`${at} ${toldShort(event)}`)
    else if (event.load.failed > failed) {
      lines.push(`${at} ${event.load.failed} of ${event.load.sent} requests have failed`)
      failed = event.load.failed
    }
  }
  return lines.join('\n')
}

function toldShort(event: StampedEvent): string {
  const { v, seq, at, type, ...rest } = event
  return `${type} ${JSON.stringify(rest).slice(0, 300)}`
}
