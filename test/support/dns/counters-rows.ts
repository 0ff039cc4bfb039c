import assert from 'node:assert/strict'
import { describe } from 'node:test'
import { atNight } from '../roll-bed/at-night.ts'
import { type DnsBed, toPod } from './dns-bed.ts'

/** Of two pods each is asked some hundred times in five seconds. */
const QUERIES_A_SECOND = 50

/** From a place that reaches the API server alone, where nothing may be made: by what pods count of the queries of others. */
export function countersRows(place: () => DnsBed): void {
  const underLoad = async (during: () => Promise<void>): Promise<void> => {
    const load = place().load(QUERIES_A_SECOND)
    try {
      await place().from('outside', during)
    } finally {
      load.stop()
    }
  }

  describe('asked from outside by port-forward alone', () => {
    atNight('is observed, where clients ask it over UDP', {}, () =>
      underLoad(async () => {
        const { code, verdict, scene, notes } = await place().says(/^UdpObserved coredns-\S+, coredns-\S+$/)
        assert.deepEqual([code, verdict], [3, 'observed'], JSON.stringify(notes))
        assert.deepEqual(
          scene.paths.map(({ vantage, reading: { udp, tcp, data } }) => [vantage, udp, tcp, data]),
          Array(2).fill(['port-forward', 'notAsked', 'answers', 'right']),
        )
        for (const { udpSeen } of scene.pods) assert.ok((udpSeen?.answered ?? 0) > 0, JSON.stringify(scene.pods))
      }),
    )

    atNight('row 2: UDP to one pod is dropped, and it alone answers none: it is suspect', {}, async () => {
      const { name, address } = await place().podOn('n2')
      await place().filtered('n2', [toPod(address, 'udp', 53)], () =>
        underLoad(async () => {
          const { code, verdict, findings } = await place().says(new RegExp(`^UdpSuspect ${name}; UdpObserved `))
          assert.deepEqual([code, verdict], [1, 'degraded'])
          assert.match(findings[0]?.evidence[0] ?? '', /answered 0 over UDP in 5(?:\.\d)? s; other pods answered \d+/)
        }),
      )
    })
  })
}
