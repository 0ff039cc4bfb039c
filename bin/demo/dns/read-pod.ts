import { get } from 'node:http'
import type { PodReading } from '../../../src/demo/dns/dns-demo-actions.ts'
import { kubeDnsObjects } from '../../../src/dns/io/kube-dns-objects.ts'
import { SocketAsker } from '../../../src/dns/io/socket-asker.ts'
import { systemClock as clock } from '../../../src/ground/machine/system-clock.ts'
import { systemRandom as random } from '../../../src/ground/machine/system-random.ts'
import type { DnsCluster } from './dns-cluster.ts'
import { loopbackSockets } from './loopback-sockets.ts'
import type { OpenedApi } from './repair-of-ours.ts'

/** By default a probe of kubelet has a `timeoutSeconds` of 1; a busy machine gets twice that. */
const TIMEOUT_MS = 2_000
const NAMESPACE = 'kube-system'
const QUESTION = { name: 'kubernetes.default.svc.cluster.local', type: 'A', class: 'IN' } as const

interface PodOfDemo {
  readonly pod: { readonly name: string; readonly uid: string; readonly address: string }
  readonly parts: OpenedApi
}

/** How a pod looks to clients over TCP, and in the API. */
export async function readPod(
  { net, ports }: DnsCluster,
  { pod, parts }: PodOfDemo,
  signal: AbortSignal,
): Promise<PodReading> {
  const asker = new SocketAsker(clock, random, loopbackSockets(net))
  const at = { address: pod.address, port: ports.dns }
  const [isHealthy, overTcp, pods] = await Promise.all([
    answersHealth(net.locate({ host: pod.address, port: ports.health }), signal),
    asker.ask({ at, question: QUESTION, over: 'tcp', timeoutMs: TIMEOUT_MS }, signal),
    kubeDnsObjects(parts).pods({ namespace: NAMESPACE, selector: {} }, signal),
  ])
  const found = pods.find(({ uid }) => uid === pod.uid)
  return {
    health: isHealthy,
    dnsOverTcp: overTcp.kind === 'reply' && overTcp.reply.rcode === 'NOERROR' && overTcp.reply.answers.length > 0,
    ready: found?.ready === true,
    runs: found?.phase === 'Running' && !found.terminating,
  }
}

function answersHealth(
  at: { readonly host: string; readonly port: number } | undefined,
  signal: AbortSignal,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  if (at === undefined) return Promise.resolve(false)
  const options = { ...at, path: '/health', agent: false, timeout: TIMEOUT_MS, signal }
  const request = get(options, (response) => {
    response.resume().on('close', () => resolve(response.statusCode === 200))
  })
  request.on('timeout', () => request.destroy()).on('error', () => resolve(false))
  return promise
}
