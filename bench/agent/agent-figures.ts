import type { Figure } from '../report/figure.ts'
import type { AgentDocument } from './agent-document.ts'

const ARTICLE = 'Go program:'

/** What is measured of the node agent, beside a program that asks the API server at each check. */
export function agentFigures({ agent, article, noticeMs, watches, imageMb }: AgentDocument): readonly Figure[] {
  const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
  const { minutes, perSecond } = agent.memory
  const under = `after ${minutes} min at ${perSecond} checks a second`
  const beside = (value: number) => ({ name: ARTICLE, value })
  const part = 'agent'
  const memory = (name: string, key: 'residentMb' | 'anonymousMb' | 'slopeMb', goal: number): Figure => ({
    part,
    name,
    value: agent.memory[key],
    unit: 'MB',
    beside: beside(article.memory[key]),
    goal,
  })
  return [
    {
      part,
      name: 'API requests for each check',
      value: agent.apiRequestsPerProbe,
      unit: '',
      beside: beside(article.apiRequestsPerProbe),
      goal: 0,
    },
    {
      part,
      name: `failed of ${agent.sent} checks at 200 a second`,
      value: agent.failed,
      unit: '',
      beside: beside(article.failed),
      goal: 0,
    },
    {
      part,
      name: 'a check at 200 a second, p99',
      value: agent.p99Ms,
      unit: 'ms',
      beside: beside(article.p99Ms),
      goal: Math.min(5, article.p99Ms),
    },
    memory(`resident memory ${under}`, 'residentMb', 60),
    memory(`anonymous memory ${under}`, 'anonymousMb', 20),
    memory('its growth over the second half', 'slopeMb', 1),
    {
      part,
      name: `from start to the first answer, median of ${agent.startMs.length}`,
      value: median(agent.startMs),
      unit: 'ms',
      beside: beside(median(article.startMs)),
      goal: 200,
    },
    {
      part,
      name: `from request to refusal with ${watches} watches, p99 of ${noticeMs.of}`,
      value: noticeMs.p99,
      unit: 'ms',
      goal: 300,
    },
    { part, name: 'the image, compressed', value: imageMb, unit: 'MB', goal: 45 },
  ]
}
