import type { Figure } from '../report/figure.ts'
import type { AgentDocument } from './agent-document.ts'

const ARTICLE = 'Go, asks the API'

/** What is measured of the node agent, beside a program that asks the API server at each check. */
export function agentFigures({ agent, article, noticeMs, watches }: AgentDocument): readonly Figure[] {
  const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
  const { minutes, perSecond } = agent.memory
  const under = `after ${minutes} min at ${perSecond} checks a second`
  const beside = (value: number) => ({ name: ARTICLE, value })
  const part = 'agent'
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
      name: 'a check at 200 a second, p99',
      value: agent.p99Ms,
      unit: 'ms',
      beside: beside(article.p99Ms),
      goal: Math.min(5, article.p99Ms),
    },
    {
      part,
      name: `resident memory ${under}`,
      value: agent.memory.residentMb,
      unit: 'MB',
      beside: beside(article.memory.residentMb),
      goal: 60,
    },
    {
      part,
      name: `anonymous memory ${under}`,
      value: agent.memory.anonymousMb,
      unit: 'MB',
      beside: beside(article.memory.anonymousMb),
      goal: 20,
    },
    {
      part,
      name: 'its growth over the second half',
      value: agent.memory.slopeMb,
      unit: 'MB',
      beside: beside(article.memory.slopeMb),
      goal: 1,
    },
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
  ]
}
