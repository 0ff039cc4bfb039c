import type { DnsCheck } from '../../../src/controllers/dns/check-dns.ts'
import { diagnose } from '../../../src/core/dns/diagnosis/diagnose.ts'
import type { DnsScene } from '../../../src/core/dns/scene.ts'
import { verdictOf } from '../../../src/core/dns/verdict.ts'

/** A check that saw this. */
export function aCheck(scene: DnsScene, change: Partial<DnsCheck> = {}): DnsCheck {
  const findings = diagnose(scene)
  return {
    verdict: verdictOf(findings),
    findings,
    scene,
    facts: { zone: 'cluster.local', apiAddresses: [], dnsService: scene.service },
    selector: {},
    notes: [],
    queries: 40,
    queriesPerSecond: 800,
    rounds: 1,
    tookMs: 120,
    ...change,
  }
}
