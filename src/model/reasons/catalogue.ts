import { AGENT_ANSWERS } from './agent-answers.ts'
import { ANY_STEP } from './any-step.ts'
import { BEFORE_LEAVING } from './before-leaving.ts'
import { CONTROLLER_WORDS } from './controller-words.ts'
import { EFFECTS, INGRESS_EFFECTS } from './effects.ts'
import { EVICTIONS } from './evictions.ts'
import { GUARD_WORDS } from './guard-words.ts'
import { INGRESS_WORDS } from './ingress-words.ts'
import type { ReasonEntry, ReasonSection } from './reason-entry.ts'
import { STEP_WAITS } from './step-waits.ts'
import { STOPS } from './stops.ts'
import { WEBHOOK_WORDS } from './webhook-words.ts'

/** Every reason that a decision may give. A code that is not here does not compile. */
const ENTRIES = {
  ...BEFORE_LEAVING,
  ...ANY_STEP,
  ...STEP_WAITS,
  ...EVICTIONS,
  ...STOPS,
  ...EFFECTS,
  ...AGENT_ANSWERS,
  ...CONTROLLER_WORDS,
  ...INGRESS_WORDS,
  ...GUARD_WORDS,
  ...INGRESS_EFFECTS,
  ...WEBHOOK_WORDS,
}

export type ReasonCode = keyof typeof ENTRIES

export const REASONS: Readonly<Record<ReasonCode, ReasonEntry>> = ENTRIES

/** In the order of docs/troubleshooting.md. */
export const REASON_SECTIONS: readonly ReasonSection[] = [
  {
    title: 'Holds before a node is touched',
    by: 'the roll, at the steps slot, record and cordon; the guards of the detach also at that step',
    intro: 'Waiting ends at `drain.blockedLimit` (10 min) with exit 3, nothing touched or restored.',
    entries: BEFORE_LEAVING,
  },
  {
    title: 'Holds at any step that sends something',
    by: 'the roll',
    intro: 'Nothing is lost: the roll goes on from the same place.',
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
      'The roll waits `drain.blockedLimit` (10 min) without progress. A pod that left is progress; a write that fails again is not. Then the node is restored, exit 3.',
    entries: EVICTIONS,
  },
  {
    title: 'Stops',
    by: 'the roll, as its verdict',
    intro: 'The cause says in which state the node is then.',
    entries: STOPS,
  },
  {
    title: 'The agent',
    by: 'the agent, in `/healthz` of its second port',
    intro: 'It may say [CordonNotGranted](#cordonnotgranted) and [NodeGone](#nodegone) as well.',
    entries: AGENT_ANSWERS,
  },
  {
    title: 'The controller',
    by: 'the controller, in `/healthz` of its status port and in its log',
    intro: 'The last two are about the Lease of the leader, all others about the fleet brake.',
    entries: CONTROLLER_WORDS,
  },
  {
    title: 'An IngressDaemonSet',
    by: 'the controller, in the status of the object',
    intro:
      'It may say [BudgetUsedUp](#budgetusedup), [ClaimsUnreadable](#claimsunreadable), [DetacherNotDone](#detachernotdone), [MaxOutInvalid](#maxoutinvalid) and [NodeNotReady](#nodenotready) as well.',
    entries: INGRESS_WORDS,
  },
  {
    title: 'A NodeGuard',
    by: 'the controller, in the status of the object',
    intro:
      'It may say [BudgetUsedUp](#budgetusedup), [MaxOutInvalid](#maxoutinvalid) and [WriteRefused](#writerefused) as well.',
    entries: GUARD_WORDS,
  },
  {
    title: 'The webhook of IngressDaemonSets',
    by: 'the controller, in `/healthz` of its status port and in Events of the Secret',
    intro: 'Nothing waits for it: what the webhook did not see is checked again by the controller.',
    entries: WEBHOOK_WORDS,
  },
  {
    title: 'Reasons to act',
    by: 'the roll, in `-v` and in the journal; the last ones by the controller, of an IngressDaemonSet',
    intro: 'These are not problems. They say why a step did something.',
    entries: { ...EFFECTS, ...INGRESS_EFFECTS },
  },
]
