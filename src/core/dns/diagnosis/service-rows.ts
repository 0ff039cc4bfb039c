import { type Digest, isWell } from './digest.ts'
import { pathText } from './evidence-text.ts'
import type { Finding, Subject } from './finding.ts'

/** What is wrong with the Service, by the API alone. */
export function serviceByApi({ scene: { service } }: Digest): Finding | undefined {
  const name = `${service.namespace}/${service.name}`
  const subjects: readonly Subject[] = [{ kind: 'service', name }]
  if (service.udpPort === undefined)
    return { code: 'ServiceWrong', subjects, evidence: [`Service ${name} has no UDP port for DNS`] }
  if (service.selected === 0)
    return { code: 'ServiceWrong', subjects, evidence: [`the selector of Service ${name} picks no pod`] }
  return undefined
}

/** The Service's address, behind caches that answer in its place, where pods answer well: what is wrong lies between. */
export function servicePath({ scene, pods, service }: Digest): readonly Finding[] {
  if (service.length === 0 || pods.length === 0 || !pods.every(isWell)) return []
  const name = `${scene.service.namespace}/${scene.service.name}`
  const bad = service.filter(({ reading, canary }) => reading.udp !== 'answers' || canary === 'silent')
  if (bad.length === 0) return []
  const evidence = service.map(({ vantage, target, reading, canary }) => {
    const port = canary === undefined ? '' : `; from one port ${canary === 'answers' ? 'answered' : 'no answer'}`
    return `${pathText(vantage, target.name, reading)}${port}`
  })
  const whole: readonly Subject[] = [{ kind: 'service', name }]
  const there: readonly Subject[] = bad.map(({ from }) =>
    from.node === undefined ? { kind: 'vantage', name: from.name } : { kind: 'node', name: from.node },
  )
  if (bad.some(({ reading }) => reading.how.includes('wrongSource')))
    return [{ code: 'ReplyFromElsewhere', subjects: there, evidence }]
  if (bad.every(({ reading }) => reading.how.includes('refused'))) {
    const endpoints = `${scene.service.serving} endpoints of the Service serve`
    return [
      {
        code: 'NoEndpointsProgrammed',
        subjects: scene.service.serving === 0 ? whole : there,
        evidence: [...evidence, endpoints],
      },
    ]
  }
  if (bad.every(({ reading }) => reading.udp === 'loses'))
    return [{ code: 'DeadEndpointKept', subjects: there, evidence }]
  // With one vantage it is not known whether others reach the Service; to blame that vantage's node is the smaller claim.
  const isEverywhere = service.length > 1 && service.every(({ reading }) => reading.udp === 'silent')
  return isEverywhere
    ? [{ code: 'ServiceWrong', subjects: whole, evidence }]
    : [{ code: 'ProxyStale', subjects: there, evidence }]
}

/** Where caches on the nodes answer in the place of the Service. */
export function cacheFindings({ scene, pods, caches }: Digest): readonly Finding[] {
  const dead = caches.filter(({ reading }) => reading.udp === 'silent')
  const findings: Finding[] = dead.map(({ from, vantage, target, reading }) => ({
    code: 'CacheDead',
    subjects: [from.node === undefined ? { kind: 'vantage', name: from.name } : { kind: 'node', name: from.node }],
    evidence: [pathText(vantage, target.name, reading)],
  }))
  const isMasked =
    scene.nodeLocal &&
    pods.some((view) => view.seen.length > 0 && !isWell(view)) &&
    caches.some(({ reading }) => reading.udp === 'answers')
  if (isMasked)
    findings.push({
      code: 'CacheMasks',
      subjects: [{ kind: 'service', name: `${scene.service.namespace}/${scene.service.name}` }],
      evidence: caches.map(({ vantage, target, reading }) => pathText(vantage, target.name, reading)),
    })
  return findings
}
