import { checkHealthPort } from '../../src/ingress/io/check-health-port.ts'
import { IngressLoop } from '../../src/ingress/run/ingress-loop.ts'
import { askAgent } from '../../src/service/actuators/agent/io/ask-agent.ts'
import { agentAnswerOf } from '../../src/service/actuators/agent/io/parse-agent-health.ts'
import type { Agents } from '../../src/service/ports/agents.ts'
import type { IngressLoopOptions } from './controller-options.ts'
import { type LoopPlace, loopParts } from './loop-parts.ts'

interface IngressLoopPlace extends LoopPlace {
  readonly ingress: IngressLoopOptions
  /** Absent: over the network. */
  readonly askAgent?: typeof askAgent
}

const askedAgents = (port: number, askOne = askAgent): Agents => ({
  ask: async (address, signal) => {
    const asked = await askOne({ address, port }, signal)
    return 'error' in asked ? 'unheard' : agentAnswerOf(asked.health)
  },
  check: checkHealthPort,
})

/** The loop of IngressDaemonSets. */
export const openIngressLoop = ({ ingress, askAgent: askOne, ...place }: IngressLoopPlace): IngressLoop =>
  new IngressLoop({
    ...loopParts(place, ingress.slotsNamespace),
    groups: ingress.groups,
    ...(ingress.agentPort === undefined ? {} : { agents: askedAgents(ingress.agentPort, askOne) }),
  })
