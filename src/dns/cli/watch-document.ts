import { present } from '../../ground/model/present.ts'
import { toIso, type WallMs } from '../../ground/model/time.ts'
import type { DnsCheck } from '../run/check-dns.ts'
import type { CheckTrouble } from '../run/watch-dns.ts'
import { findingDocument } from './check-document.ts'

const VERSION = '1'

interface At {
  readonly at: WallMs
  /** Include all evidence, for `evenkeel dns explain`. */
  readonly withScene: boolean
}

/** One line of `-o json`. */
export function watchDocument(seen: DnsCheck | CheckTrouble, { at, withScene }: At): object {
  const begin = { version: VERSION, at: toIso(at) }
  if ('trouble' in seen)
    return { ...begin, verdict: 'unverified', trouble: seen.trouble, findings: [], notes: [], queries: 0, paths: [] }
  const { verdict, findings, notes, queries, tookMs, scene } = seen
  return {
    ...begin,
    verdict,
    findings: findings.map(findingDocument),
    notes,
    queries,
    tookMs: Math.round(tookMs),
    paths: scene.paths.map(({ vantage, target, reading: { udp, tcp, data, asked, lost, medianMs } }) => ({
      vantage,
      target,
      udp,
      tcp,
      data,
      asked,
      lost,
      ...present({ medianMs }),
    })),
    ...(withScene ? { scene } : {}),
  }
}
