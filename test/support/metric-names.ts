import { controllerMetrics } from '../../bin/controller/controller-metrics.ts'
import type { ControllerStatus } from '../../bin/controller/controller-status.ts'
import { agentMetrics } from '../../src/agent/run/agent-metrics.ts'
import type { AgentStatus } from '../../src/agent/run/agent-status.ts'
import { monoMs, wallMs } from '../../src/ground/model/time.ts'
import { NO_COUNTS, rollMetrics } from '../../src/roll/cli/screen/roll-metrics.ts'
import { emptyRollView } from '../../src/roll/report/view/roll-view.ts'

/** Of every family on a page, in its order. */
export const metricNames = (page: string): readonly string[] =>
  [...page.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name)

/** A page of each program that has one, with all of its families. */
export const pagesOfAll = (): { readonly roll: string; readonly controller: string; readonly agent: string } => ({
  roll: rollMetrics(emptyRollView, NO_COUNTS, { at: 0, updatedAt: 0 }),
  controller: controllerMetrics(LEADING),
  agent: agentMetrics(SERVING),
})

const LEADING: ControllerStatus = {
  identity: 'controller-1',
  leader: { state: 'leading', holder: 'controller-1', triedAgoMs: 10 },
  brake: {
    loop: { name: 'brake', passes: 7, failures: 2, spentMs: 3_500, lastPassMs: 1, depth: 3, underWay: 1 },
    nodes: { known: 9, cordoned: 4, synced: true, unheardForMs: 1_500 },
    grants: { version: 1, granted: ['n1', 'n2'], max: 5, of: 9 },
    out: [],
    decision: 'act',
    reasons: [],
  },
}

const SERVING: AgentStatus = {
  node: 'n1',
  now: monoMs(2_000),
  wall: wallMs(2_000),
  decision: { answer: 'up', reasons: [] },
  since: monoMs(0),
  heard: true,
  isKeptKnown: true,
  isDataPortAsked: true,
  acknowledged: [],
  brake: 'none',
  filesReadAgoMs: 10,
  trouble: [],
  polls: [],
}
