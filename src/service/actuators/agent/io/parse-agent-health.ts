import { canonicalAddress } from '../../../../ground/model/ip-address.ts'
import { isJsonObject, jsonObject } from '../../../../ground/model/json-object.ts'
import { present } from '../../../../ground/model/present.ts'
import { type Answer, isAnswer } from '../../../model/answer.ts'
import type { EndpointReading } from '../../../model/health-endpoint.ts'
import type { AgentAnswer, IngressHealth } from '../../../ports/agents.ts'

/** What an agent's `/healthz` tells of its node. */
export interface AgentHealth extends Omit<EndpointReading, 'at' | 'heard'> {
  readonly node: string
  readonly dataPort: 'open' | 'closed' | 'unknown'
  /** Absent: the agent answers for no IngressDaemonSet, or is of a release that cannot. */
  readonly ingresses?: readonly IngressHealth[]
}

/** Undefined where the text is no answer of an agent: anything may listen at that port. */
export function parseAgentHealth(text: string): AgentHealth | undefined {
  const raw = jsonObject(text)
  if (raw === undefined) return undefined
  const { node, answer, reasons, maintenance, dataPort, connections, polls, ingress } = raw
  if (typeof node !== 'string' || !isAnswer(answer) || !isJsonObject(maintenance) || !Array.isArray(polls))
    return undefined
  const { acknowledged } = maintenance
  if (!isTexts(acknowledged)) return undefined
  return {
    node,
    answer,
    onlyClosed: isOnlyClosed(reasons),
    acknowledged,
    ...present({ kept: keptIn(maintenance.kept) }),
    dataPort: dataPort === 'open' || dataPort === 'closed' ? dataPort : 'unknown',
    connections: isCount(connections) ? connections : 'unknown',
    polls: Object.fromEntries(polls.flatMap((poll) => pollsOf(poll, answer))),
    ...(Array.isArray(ingress) ? { ingresses: ingress.flatMap(ingressOf) } : {}),
  }
}

function keptIn(kept: unknown): EndpointReading['kept'] {
  if (!isJsonObject(kept) || !Array.isArray(kept.claims)) return undefined
  const claims = kept.claims.flatMap((claim: unknown) =>
    isJsonObject(claim) && typeof claim.owner === 'string' && typeof claim.uid === 'string'
      ? [{ owner: claim.owner, uid: claim.uid }]
      : [],
  )
  return claims.length === 0 ? undefined : claims
}

function ingressOf(entry: unknown): readonly IngressHealth[] {
  if (!isJsonObject(entry)) return []
  const { namespace, name, answer, ports } = entry
  if (typeof namespace !== 'string' || typeof name !== 'string' || !Array.isArray(ports)) return []
  const open = ports.flatMap((port) =>
    isJsonObject(port) && port.open === true && typeof port.port === 'number' ? [port.port] : [],
  )
  return [{ namespace, name, isUp: answer === 'up', ports: open }]
}

/** Polls that got another answer than the present one are not counted. */
function pollsOf(poll: unknown, answer: Answer): readonly (readonly [string, number])[] {
  if (!isJsonObject(poll)) return []
  const { address, sinceAnswer } = poll
  const isOfNow = poll.answer === answer && typeof address === 'string' && isCount(sinceAnswer)
  return isOfNow ? [[canonicalAddress(address), sinceAnswer]] : []
}

const isOnlyClosed = (reasons: unknown): boolean =>
  Array.isArray(reasons) &&
  reasons.length > 0 &&
  reasons.every((reason) => isJsonObject(reason) && reason.code === 'DataPortClosed')
const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

/** The answer in the form that the loop of IngressDaemonSets asks for. */
export const agentAnswerOf = ({ acknowledged, answer, kept, ingresses }: AgentHealth): AgentAnswer => ({
  acknowledged,
  isUp: answer === 'up',
  ...present({ kept, ingresses }),
})
