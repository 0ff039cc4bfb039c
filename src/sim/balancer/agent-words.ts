import type { AgentCheck } from './agent-check.ts'
import type { Server } from './server.ts'
import type { CheckResult } from './server-check.ts'

/** What an agent's line says (configuration.txt, `agent-check`; HAProxy src/tcpcheck.c, `tcpcheck_agent_expect_reply`). */
interface AgentWords {
  readonly state: 'ready' | 'drain' | 'maint' | undefined
  /** `NN%`. */
  readonly weight: string | undefined
  readonly maxConnections: string | undefined
  readonly health: 'up' | 'down' | undefined
}

const STATES = ['ready', 'drain', 'maint'] as const
const DOWN: readonly string[] = ['down', 'stopped', 'fail']

/** Of each sort the last word counts. What stands behind a `#` is a description. */
function agentWords(line: string): AgentWords {
  const words = (line.split(/[\r\n]/)[0] ?? '')
    .replace(/#.*$/, '')
    .toLowerCase()
    .split(/[ \t,]+/)
  const health = words.findLast((word) => word === 'up' || DOWN.includes(word))
  return {
    state: STATES.findLast((state) => state === words.findLast((word) => STATES.some((one) => one === word))),
    weight: words.findLast((word) => /^\d.*%/.test(word)),
    maxConnections: words.findLast((word) => word.startsWith('maxconn:'))?.slice('maxconn:'.length),
    health: health === undefined ? undefined : health === 'up' ? 'up' : 'down',
  }
}

/** A server's agent was asked. One that is out of reach, or was disabled meanwhile, changes nothing. */
export function agentAsked(server: Server, agent: AgentCheck, answer: CheckResult & { readonly line: string }): void {
  const { line, ...result } = answer
  if (result.status !== 'L7OK' || !agent.isEnabled) {
    agent.note(result)
    return
  }
  const { state, weight, maxConnections, health } = agentWords(line)
  if (state !== undefined) server.setAdmin(state)
  if (weight !== undefined) server.setWeight(weight)
  if (maxConnections !== undefined) server.setMaxConnections(Number(maxConnections))
  agent.note({ ...result, code: 0, status: health === undefined ? 'CHECKED' : health === 'up' ? 'L7OK' : 'L7STS' })
  if (health === undefined) return
  agent.health = health === 'up' ? 1 : 0
  if (health === 'down') server.become('stopped')
  else if (server.oper !== 'stopping') server.passed()
}
