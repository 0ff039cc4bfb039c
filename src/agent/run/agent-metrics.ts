import type { Answer } from '../../service/model/answer.ts'
import type { Brake } from '../decide/brake.ts'
import type { AgentStatus } from './agent-status.ts'

const ANSWERS: readonly Answer[] = ['up', 'drain', 'down']
const BRAKES: readonly Brake[] = ['none', 'granted', 'withheld', 'unknown']

/** Prometheus' text format 0.0.4. Addresses are not labels: each client would create a series. */
export function agentMetrics(status: AgentStatus): string {
  const { decision, brake, unheardForMs, heard, trouble, polls } = status
  const answers = polls.reduce((sum, { total }) => sum + total, 0)
  return [
    ...family(
      'evenkeel_agent_answer',
      'The answer of the agent to load balancers: 1 for this one, 0 for the other two.',
      'gauge',
    ),
    ...ANSWERS.map((answer) => `evenkeel_agent_answer{answer="${answer}"} ${answer === decision.answer ? 1 : 0}`),
    ...single(
      'evenkeel_agent_answer_seconds',
      'For how long the agent has given this answer.',
      (status.now - status.since) / 1_000,
    ),
    ...single(
      'evenkeel_agent_api_heard',
      'Whether the API server has shown the node since the agent began.',
      heard ? 1 : 0,
    ),
    ...single(
      'evenkeel_agent_api_unheard_seconds',
      'For how long the API server could not be followed.',
      (unheardForMs ?? 0) / 1_000,
    ),
    ...family(
      'evenkeel_agent_brake',
      'Whether the brake lets a cordon count: 1 for this state, 0 for the other three.',
      'gauge',
    ),
    ...BRAKES.map((state) => `evenkeel_agent_brake{state="${state}"} ${state === brake ? 1 : 0}`),
    ...single(
      'evenkeel_agent_trouble',
      'Files and objects that could not be read or written, and ports that could not be opened.',
      trouble.length + (status.ingress?.trouble.length ?? 0),
    ),
    ...single('evenkeel_agent_probers', 'Addresses that asked.', polls.length),
    ...single('evenkeel_agent_polls', 'Answers given to the currently known addresses.', answers),
    ...ofIngresses(status),
    '',
  ].join('\n')
}

/** Any account that may make Deployments can add to them. */
const INGRESSES_MAX = 64

function ofIngresses({ ingress }: AgentStatus): readonly string[] {
  if (ingress === undefined) return []
  const answered = ingress.answered
    .filter(({ reading }) => (reading.order?.ports.length ?? 0) > 0)
    .slice(0, INGRESSES_MAX)
  return [
    ...family(
      'evenkeel_agent_ingress_answer',
      'The answer at the ports of an IngressDaemonSet: 1 for this one, 0 for the other two.',
      'gauge',
    ),
    ...answered.flatMap(({ reading, decision }) =>
      ANSWERS.map((answer) => {
        const labels = `namespace="${reading.namespace}",ingress="${reading.name}",answer="${answer}"`
        return `evenkeel_agent_ingress_answer{${labels}} ${answer === decision.answer ? 1 : 0}`
      }),
    ),
  ]
}

const family = (name: string, help: string, type: 'gauge'): readonly string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
]

const single = (name: string, help: string, value: number): readonly string[] => [
  ...family(name, help, 'gauge'),
  `${name} ${value}`,
]
