import { isTaken } from '../../src/agent/io/agent-beside.ts'
import { takeOverPorts } from '../../src/agent/run/take-over-ports.ts'
import { type IngressParts, ingressAnswers } from './ingress-answers.ts'

const NO_PORTS: readonly number[] = []

/**
 * Answers health checks for one IngressDaemonSet and does nothing else of an agent: it knows no Node, and opens only the ports
 * of the object. 1 where it could not read the object in time. Then the pod that it should replace goes on; a first pod is
 * started again by the kubelet.
 */
export async function runIngressPod(parts: Omit<IngressParts, 'own'>, stop: AbortSignal): Promise<0 | 1> {
  const { options, api } = parts
  const { node, address, takeoverLimitMs } = options
  const { watch, ports } = ingressAnswers({ ...parts, own: () => NO_PORTS })
  // Whatever takes the node out, the controller then marks the Deployment of the node, and only the mark counts here.
  watch.nodeAnswers({ answer: 'up', reasons: [] })
  await watch.begin(stop)
  const running = watch.run(stop)
  const isAnswered = async (): Promise<boolean> => {
    const asked = watch.readings.flatMap(({ order }) => order?.ports ?? [])
    return (await Promise.all(asked.map((port) => isTaken(port, address)))).includes(true)
  }
  // The kubelet counts from the start of the process.
  const limitMs = takeoverLimitMs - performance.now()
  const begun = await Promise.race([takeOverPorts({ watch, isAnswered, limitMs, clock: api.clock }, stop), running])
  if (begun === 'late') {
    api.log.warn('the API server has not shown the Deployment of the node in time; see --takeover-limit', {
      node,
      reasons: watch.trouble,
    })
    return 1
  }
  watch.takeOver()
  api.log.warn('answers for one IngressDaemonSet', { node, ...options.ingressOnly })
  try {
    await Promise.all([running, ports.run(stop)])
    return 0
  } finally {
    // The last answer stays until the end: either the process that replaces this one answers already, or none should.
    await ports.close()
  }
}
