import { AGENT_ANSWERS } from './agent-answers.ts'
import { ANY_STEP } from './any-step.ts'
import { BEFORE_LEAVING } from './before-leaving.ts'
import { CONTROLLER_WORDS } from './controller-words.ts'
import { EFFECTS, INGRESS_EFFECTS } from './effects.ts'
import { EVICTIONS } from './evictions.ts'
import { GUARD_WORDS } from './guard-words.ts'
import { HOST_EFFECTS, HOST_WORDS } from './host-words.ts'
import { INGRESS_WORDS } from './ingress-words.ts'
import type { ReasonEntry, ReasonSection } from './reason-entry.ts'
import { ROLL_OBJECT_WORDS } from './roll-object-words.ts'
import { STEP_WAITS } from './step-waits.ts'
import { STOPS } from './stops.ts'

/** Every reason that a decision may give. A code that is not here does not compile. */
const ENTRIES = {
  ...BEFORE_LEAVING,
  ...ANY_STEP,
  ...STEP_WAITS,
  ...EVICTIONS,
  ...STOPS,
  ...HOST_WORDS,
  ...EFFECTS,
  ...HOST_EFFECTS,
  ...AGENT_ANSWERS,
  ...CONTROLLER_WORDS,
  ...INGRESS_WORDS,
  ...GUARD_WORDS,
  ...ROLL_OBJECT_WORDS,
  ...INGRESS_EFFECTS,
}

export type ReasonCode = keyof typeof ENTRIES

export const REASONS: Readonly<Record<ReasonCode, ReasonEntry>> = ENTRIES

/** In the order of docs/troubleshooting.md. */
export const REASON_SECTIONS: readonly ReasonSection[] = [
  {
    title: 'Holds before a node is touched',
    by: 'the roll, at the steps slot, record, cordon and detach',
    intro: 'After `drain.blockedLimit` (10 min) the roll ends with exit 3. The node is then untouched or restored.',
    entries: BEFORE_LEAVING,
  },
  {
    title: 'Holds at any step that sends something',
    by: 'the roll',
    intro: 'Nothing is lost: the roll continues from the same point.',
    entries: ANY_STEP,
  },
  {
    title: 'Waits of the steps',
    by: 'the roll, at the steps detach to soak',
    intro: 'Waits that are a normal part of a step show as progress, the others as a hold.',
    entries: STEP_WAITS,
  },
  {
    title: 'A pod that does not leave',
    by: 'the roll, at the step drain',
    intro:
      'Without progress, the roll waits for `drain.blockedLimit` (10 min). Then it restores the node, exit 3. A pod that left is progress; a write that fails again is not.',
    entries: EVICTIONS,
  },
  {
    title: 'Stops',
    by: 'the roll, when it ends',
    intro: 'The cause also describes the state of the node.',
    entries: STOPS,
  },
  {
    title: 'Machines of the load balancers',
    by: 'the roll, for machines of `hosts`',
    intro:
      'For these machines, the roll can also report most of the holds that it reports for a node. If a hold reaches its limit before the reboot is announced, the machine takes its addresses back, and the roll ends with exit 3. From the announcement on, the machine goes through its reboot and its proof.',
    entries: HOST_WORDS,
  },
  {
    title: 'The agent',
    by: 'the agent, in `/healthz` of its status port (8081, `--status-port`)',
    intro: 'It can also report [CordonNotGranted](#cordonnotgranted) and [NodeGone](#nodegone).',
    entries: AGENT_ANSWERS,
  },
  {
    title: 'The controller',
    by: 'the controller, in `/healthz` of its status port and in its log',
    intro: 'The last two are about the Lease of the leader, all others about [the brake](controller.md).',
    entries: CONTROLLER_WORDS,
  },
  {
    title: 'An IngressDaemonSet',
    by: 'the controller, in the status of the object',
    intro:
      'It can also report [BudgetUsedUp](#budgetusedup), [ClaimsUnreadable](#claimsunreadable), [DetacherNotDone](#detachernotdone), [MaxOutInvalid](#maxoutinvalid) and [NodeNotReady](#nodenotready).',
    entries: INGRESS_WORDS,
  },
  {
    title: 'A NodeGuard',
    by: 'the controller, in the status of the object',
    intro:
      'It can also report [BudgetUsedUp](#budgetusedup), [MaxOutInvalid](#maxoutinvalid) and [WriteRefused](#writerefused).',
    entries: GUARD_WORDS,
  },
  {
    title: 'A Roll',
    by: 'the controller, in the status of the object',
    intro: 'While a run is held, the reasons are those of the roll. It can also report [WriteRefused](#writerefused).',
    entries: ROLL_OBJECT_WORDS,
  },
  {
    title: 'Reasons to act',
    by: 'the roll, in `-v` and in the journal; `IngressPrepared` and those after it by the controller',
    intro: 'These are not problems. They explain why a step did something.',
    entries: { ...EFFECTS, ...HOST_EFFECTS, ...INGRESS_EFFECTS },
  },
]
