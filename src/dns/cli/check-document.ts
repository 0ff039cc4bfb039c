import { evenkeel, say } from '../../ground/model/sentence.ts'
import { UserError } from '../../ground/model/user-error.ts'
import { CAUSES } from '../decide/causes.ts'
import type { DnsFinding } from '../decide/diagnosis/finding.ts'
import type { DnsScene } from '../decide/scene.ts'
import type { UdpSeen } from '../decide/udp-seen.ts'
import type { DnsVerdict } from '../decide/verdict.ts'
import type { DnsCheck } from '../run/check-dns.ts'

const VERSION = '1'

/** The document of `-o json`. `scene` is the evidence, from which `evenkeel dns explain` says the same again. */
export const checkDocument = ({
  verdict,
  findings,
  scene,
  notes,
  queries,
  queriesPerSecond,
  rounds,
  tookMs,
}: DnsCheck): object => ({
  version: VERSION,
  verdict,
  findings: findings.map(findingDocument),
  notes,
  queries,
  queriesPerSecond,
  rounds,
  tookMs: Math.round(tookMs),
  scene,
})

export const explainDocument = (verdict: DnsVerdict, findings: readonly DnsFinding[]): object => ({
  version: VERSION,
  verdict,
  findings: findings.map(findingDocument),
})

export function findingDocument({ code, subjects, evidence }: DnsFinding): object {
  const cause = CAUSES[code]
  const row = 'row' in cause ? { row: cause.row } : {}
  return {
    code,
    ...row,
    verdict: cause.verdict,
    is: cause.is,
    subjects,
    evidence,
    cause: cause.cause,
    cure: cause.cure,
  }
}

/** Reads the scene from a document that `-o json` wrote. Throws UserError, which names `file`, for any other text. */
export function sceneOfDocument(text: string, file: string): DnsScene {
  const fix = say`record one: ${evenkeel`dns check -o json`} > FILE`
  const refuse = (why: string): UserError => new UserError(`${file}: ${why}`, { code: 'dns.evidence', fix })
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch (error) {
    throw refuse(`is no JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  const { version, scene } = (document ?? {}) as { readonly version?: unknown; readonly scene?: DnsScene }
  if (version !== VERSION) throw refuse(`version is ${JSON.stringify(version)}, not "${VERSION}"`)
  const missing = (['service', 'pods', 'nodes', 'vantages', 'paths'] as const).find(
    (field) => typeof scene?.[field] !== 'object' || (field !== 'service' && !Array.isArray(scene[field])),
  )
  if (scene === undefined || missing !== undefined) throw refuse(`scene.${missing ?? ''} is missing or malformed`)
  const podless = scene.pods.findIndex(
    (pod) => typeof pod?.name !== 'string' || !isUdpSeen(pod.udpSeen) || !Array.isArray(pod.endedBy ?? []),
  )
  if (podless !== -1) throw refuse(`scene.pods[${podless}] is no pod`)
  const nodeless = scene.nodes.findIndex((node) => typeof node?.name !== 'string')
  if (nodeless !== -1) throw refuse(`scene.nodes[${nodeless}] is no node`)
  const placeless = scene.vantages.findIndex((place) => typeof place?.name !== 'string')
  if (placeless !== -1) throw refuse(`scene.vantages[${placeless}] is no place`)
  const pathless = scene.paths.findIndex(
    (path) =>
      typeof path?.vantage !== 'string' ||
      typeof path.target?.name !== 'string' ||
      !Array.isArray(path.reading?.how) ||
      !Array.isArray(path.reading.faults),
  )
  if (pathless !== -1) throw refuse(`scene.paths[${pathless}] is no path`)
  return scene
}

const isUdpSeen = (seen: UdpSeen | undefined): boolean =>
  seen === undefined ||
  (['observed', 'suspect', 'idle'].includes(seen?.state) &&
    [seen.received, seen.answered, seen.overMs, seen.siblingsMean ?? 0].every(Number.isFinite))
