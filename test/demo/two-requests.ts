import { systemClock } from '../../src/ground/machine/system-clock.ts'
import type { Sample } from '../../src/ground/model/probe.ts'
import { wallMs } from '../../src/ground/model/time.ts'
import type { ProbeSource } from '../../src/ground/ports/probe-source.ts'

/** Two requests a lane of each URL; of a URL that ends with `lossy` the last new one fails and the last kept one is sent twice. */
export function twoRequests(url: string): ProbeSource {
  return {
    run: async (emit, signal) => {
      const at = systemClock.wallMs()
      emit({ type: 'started', at })
      const samples = [0, 1, 2, 3].map((nth): Sample => {
        const shared = {
          target: url,
          control: false,
          scheduledAt: wallMs(at + nth * 10),
          startedLateMs: 0,
          latencyMs: 1,
        }
        const lane = nth % 2 === 0 ? 'new' : 'kept'
        const isLossy = url.endsWith('lossy')
        if (nth === 3 && isLossy) return { ...shared, lane, verdict: 'ok', retried: true }
        return nth === 2 && isLossy
          ? { ...shared, lane, verdict: 'failed', failure: 'connect', error: 'refused' }
          : { ...shared, lane, verdict: 'ok' }
      })
      emit({ type: 'batch', at: wallMs(at + 40), samples, settledBefore: wallMs(at + 40) })
      if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    },
  }
}
