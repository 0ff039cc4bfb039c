import type { Answer } from '../../service/model/answer.ts'
import type { Brake } from '../decide/brake.ts'
import type { AgentView } from './agent-view.ts'

const ANSWERS: readonly Answer[] = ['up', 'drain', 'down']
const BRAKES: readonly Brake[] = ['none', 'granted', 'withheld', 'unknown']

/** Prometheus' text format 0.0.4. Addresses are not labels: each client would create a series. */
export function agentMetrics(view: AgentView): string {
  const { decision, brake, unheardForMs, heard, trouble, polls } = view
  const told = polls.reduce((sum, { total }) => sum + total, 0)
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
      (view.now - view.since) / 1_000,
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
      trouble.length + (view.ingress?.trouble.length ?? 0),
    ),
    ...single('evenkeel_agent_probers', 'Addresses that asked.', polls.length),
    ...single('evenkeel_agent_polls', 'Answers given to the currently known addresses.', told),
    ...ofIngresses(view),
    '',
  ].join('\n')
}

/** Anyone who may make Deployments can add to them. */
const INGRESSES_MAX = 64

function ofIngresses({ ingress }: AgentView): readonly string[] {
  if (ingress === undefined) return []
  const answered = ingress.answered.filter(({ facts }) => (facts.order?.ports.length ?? 0) > 0).slice(0, INGRESSES_MAX)
  return [
    ...family(
      'evenkeel_agent_ingress_answer',
      'The answer at the ports of an IngressDaemonSet: 1 for this one, 0 for the other two.',
      'gauge',
    ),
    ...answered.flatMap(({ facts, decision }) =>
      ANSWERS.map((answer) => {
        const labels = `namespace="${facts.namespace}",ingress="${facts.name}",answer="${answer}"`
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
