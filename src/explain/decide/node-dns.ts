import { evenkeel } from '../../ground/model/sentence.ts'
import { lastDnsPod } from '../../roll/decide/dns/dns-leaving.ts'
import { type ExplainFinding, finding } from './finding.ts'
import type { NodeScene } from './node-scene.ts'

const CHECK = { command: evenkeel`dns check`, note: 'queries DNS on every path, and names what is wrong' }

/** Whether the DNS of the cluster would keep a roll from taking the node out. */
export function nodeDns({ dns, node }: NodeScene): readonly ExplainFinding[] {
  if (dns === undefined) return []
  const { service, health } = dns
  const base = { part: 'dns', subject: `${service.namespace}/${service.name}` } as const
  const here = dns.pods.filter((pod) => pod.node === node.name)
  const evidence = dns.pods.map(({ name, node: at = 'no node', endpoint }) => `${name} on ${at}: ${endpoint}`)
  const last = lastDnsPod(node.name, dns).map(({ code, text }) =>
    finding({ ...base, is: 'waits', code, text, evidence, next: [CHECK] }),
  )
  if (health?.status === 'False')
    return [
      ...last,
      finding({
        ...{ ...base, is: 'waits', code: 'DnsIll' },
        text: `the cluster DNS is unhealthy, so that a roll takes no node out: ${health.message}`,
        evidence: [`condition evenkeel.dev/DNSHealthy is False (${health.reason})`],
        next: [CHECK],
      }),
    ]
  const checkText =
    health === undefined ? 'no controller checks it' : `its check says ${health.status} (${health.reason})`
  return [
    ...last,
    finding({
      ...{ ...base, is: 'fact', code: 'DnsSeen' },
      text: `${here.length} of ${dns.pods.length} DNS pods ${here.length === 1 ? 'is' : 'are'} on ${node.name}; ${checkText}`,
      evidence,
    }),
  ]
}
