import { diagnose } from '../../../src/dns/decide/diagnosis/diagnose.ts'
import type { DnsScene } from '../../../src/dns/decide/scene.ts'
import { verdictOf } from '../../../src/dns/decide/verdict.ts'
import type { DnsCheck } from '../../../src/dns/run/check-dns.ts'

/** A check that saw this. */
export function aCheck(scene: DnsScene, change: Partial<DnsCheck> = {}): DnsCheck {
  const findings = diagnose(scene)
  return {
    verdict: verdictOf(findings),
    findings,
    scene,
    askedZone: { zone: 'cluster.local', apiAddresses: [], dnsService: scene.service },
    selector: {},
    notes: [],
    queries: 40,
    queriesPerSecond: 800,
    rounds: 1,
    tookMs: 120,
    ...change,
  }
}
