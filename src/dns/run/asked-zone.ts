import { canonicalAddress } from '../../ground/model/ip-address.ts'
import { canonicalDnsName, isDnsName, reverseName } from '../model/dns.ts'
import type { Deployment } from './deployment.ts'
import type { SweepTarget, Vantage } from './sweep.ts'

interface Asked {
  readonly vantages: readonly Vantage[]
  readonly targets: readonly SweepTarget[]
  readonly timeoutMs: number
}

const OF_API = 'kubernetes.default.svc.'
/** One target of each kind: a place may reach pods alone, or the Service, or what it has for outside. */
const KINDS = ['pod', 'service', 'exposed'] as const

/**
 * Where no one said which zone it is: DNS itself says so. The reverse name of the API's cluster IP is `kubernetes.default.svc.<zone>`
 * (DNS-Based Service Discovery of Kubernetes, 2.3.3), and to ask for it takes no right. Rejects by abort alone.
 */
export async function withAskedZone(deployment: Deployment, asked: Asked, signal: AbortSignal): Promise<Deployment> {
  const [address] = deployment.askedZone.apiAddresses
  if (!deployment.isZoneAssumed || address === undefined) return deployment
  const question = { name: reverseName(canonicalAddress(address)), type: 'PTR', class: 'IN' } as const
  const { vantages, targets, timeoutMs } = asked
  const tried = KINDS.flatMap((kind) => targets.find(({ target }) => target.kind === kind) ?? [])
  for (const { asker, inScene } of vantages)
    for (const { at, tcpPort = at.port } of tried) {
      const overUdp = await asker.ask({ at, question, over: 'udp', timeoutMs }, signal)
      const isTruncated = overUdp.kind === 'reply' && overUdp.reply.truncated
      const outcome = isTruncated
        ? await asker.ask({ at: { ...at, port: tcpPort }, question, over: 'tcp', timeoutMs }, signal)
        : overUdp
      const names = outcome.kind === 'reply' ? outcome.reply.answers.filter(({ type }) => type === 'PTR') : []
      const [name] = names.map(({ data }) => canonicalDnsName(data)).filter((one) => one.startsWith(OF_API))
      const zone = name?.slice(OF_API.length)
      if (zone === undefined || !isDnsName(zone)) continue
      const why = `zone ${zone}: DNS answers so for the cluster IP of the API, queried from ${inScene.name}`
      const notes = deployment.notes.map((note) => (note.startsWith('zone ') ? why : note))
      return { ...deployment, askedZone: { ...deployment.askedZone, zone }, isZoneAssumed: false, notes }
    }
  return deployment
}
