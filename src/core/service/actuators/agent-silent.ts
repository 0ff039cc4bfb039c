import type { ServerRef } from '../../../model/balancer.ts'
import type { Reason } from '../../../model/reason.ts'

export const agentSilent = ({ server }: ServerRef): Reason => ({
  code: 'AgentSilent',
  object: server,
  text: `the agent of ${server} does not answer`,
})
