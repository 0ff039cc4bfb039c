import { formatDuration } from '../../../ground/model/duration.ts'
import type { PathReading } from '../path-reading.ts'
import type { UdpSeen } from '../udp-seen.ts'
import type { PodReadings } from './digest.ts'

const HOW: Readonly<Record<PathReading['how'][number], string>> = {
  timeout: 'no answer',
  mismatch: 'replies that match no query',
  refused: 'refused',
  unreachable: 'no route',
  wrongSource: 'replies from elsewhere',
  closed: 'closed',
}

/** One path in a sentence. */
export function pathText(from: string, to: string, reading: PathReading): string {
  const udp =
    reading.udp === 'notAsked'
      ? 'UDP was not asked'
      : `UDP ${reading.asked - reading.lost} of ${reading.asked} answered${notesOf(reading)}`
  const tcp = reading.tcp === 'notAsked' ? [] : [`TCP ${reading.tcp === 'answers' ? 'answers' : 'is silent'}`]
  return `${from} → ${to}: ${[udp, ...tcp, ...reading.faults].join('; ')}`
}

function notesOf({ how, truncated }: PathReading): string {
  const notes = [...how.map((one) => HOW[one]), ...(truncated === 0 ? [] : [`${truncated} truncated`])]
  return notes.length === 0 ? '' : ` (${notes.join(', ')})`
}

/** All readings of a pod in sentences. */
export const readingsText = ({ pod, seen, loopback }: PodReadings): string =>
  [
    ...seen.map(({ vantage, reading, as }) => pathText(vantage.name, as, reading)),
    ...(loopback === undefined ? [] : [pathText('its own loopback', pod.name, loopback)]),
    ...(pod.udpSeen === undefined ? [] : [countersText(pod.udpSeen)]),
  ].join('. ')

function countersText({ received, answered, overMs, siblingsMean }: UdpSeen): string {
  const others = siblingsMean === undefined ? '' : `; other pods answered ${siblingsMean} on average`
  return `By its own counters it received ${received} and answered ${answered} over UDP in ${formatDuration(overMs)}${others}`
}
