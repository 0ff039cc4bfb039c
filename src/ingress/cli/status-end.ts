import { INGRESS_NODE_LABEL } from '../../ground/model/ingress-keys.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'
import { nodeLabel } from '../../ground/model/owned/node-names.ts'
import { type Block, type BlockRow, blockLines, type NextStep } from '../../ground/text/labelled-block.ts'
import type { Line } from '../../ground/text/terminal/style.ts'
import type { CheckedIngress } from '../decide/ingress-kind.ts'
import type { RolloutState } from '../decide/rollout/rollout-state.ts'
import type { Commands } from './rollout-place.ts'
import { countsText } from './status-lines.ts'

/** Why the command ends. */
export type StatusEnd = 'settled' | 'looked once' | 'timeout' | 'interrupted'

interface Ended {
  readonly object: CheckedIngress
  readonly state: RolloutState
  readonly end: StatusEnd
  readonly unled?: string | undefined
  readonly commands: Commands
  /** Of the controller. */
  readonly lease: ObjectRef
}

const HELD = 3

/** 0 done; 1 it failed; 3 it does not go on without a person, or was not done when the command ended. */
export const exitOf = ({ kind }: Pick<RolloutState, 'kind'>): number =>
  kind === 'done' ? 0 : kind === 'failed' ? 1 : HELD

export function endLines(ended: Ended, columns: number): readonly Line[] {
  const { object, state, unled } = ended
  const steps = nextSteps(ended)
  const rows: readonly BlockRow[] = [
    ...(unled === undefined ? [] : [{ label: 'why', texts: [unled] }]),
    ...(state.kind === 'done' ? [] : [{ label: 'state', texts: [countsText(object)] }]),
    { label: 'next', texts: steps },
  ]
  return blockLines({ ...headOf(ended), rows }, columns)
}

function headOf({ object, state, end }: Ended): Omit<Block, 'rows'> {
  const at = `${object.namespace}/${object.name}`
  const title = `${at}: ${state.why}`
  if (end === 'interrupted') return { word: 'INTERRUPTED', tone: 'hold', title: `${title}. The rollout itself goes on` }
  if (state.kind === 'done') return { word: 'DONE', title }
  if (state.kind === 'failed') return { word: 'STOPPED', tone: 'stop', title }
  if (end === 'timeout')
    return { word: 'HELD', tone: 'hold', title: `${at} is not done within --timeout: ${state.why}` }
  return state.kind === 'held' ? { word: 'HELD', tone: 'hold', title } : { word: 'GOING', tone: 'work', title }
}

/** Commands that help where it stands. */
export function nextSteps({ object, state, unled, commands, lease, end }: Ended): readonly NextStep[] {
  const led = unled === undefined && state.kind !== 'unseen' ? [] : controllerSteps(commands, lease)
  return [...led, ...stepsOf(object, state, commands), ...(end === 'settled' ? [] : againSteps(state, commands))]
}

const controllerSteps = ({ kubectl }: Commands, { namespace }: ObjectRef): readonly NextStep[] => [
  { command: kubectl('-n', namespace, 'get', 'pods,leases'), note: 'the controller, which has to run with --ingress' },
]

const againSteps = ({ kind }: RolloutState, { rollout }: Commands): readonly NextStep[] =>
  kind === 'going' || kind === 'unseen' ? [{ command: rollout('status'), note: 'follow it' }] : []

function stepsOf(
  { namespace }: CheckedIngress,
  { code, nodes }: RolloutState,
  { rollout, kubectl }: Commands,
): readonly NextStep[] {
  switch (code) {
    case 'RolloutPaused':
      return [{ command: rollout('resume'), note: 'go on' }]
    case 'CanaryAwaited':
      return [
        { command: rollout('resume'), note: 'go on with the other nodes' },
        { command: rollout('undo'), note: 'go back to the revision before' },
      ]
    case 'NodesStuck': {
      const stuck = nodes.filter(({ state }) => state === 'Stuck')
      const [first] = stuck
      return [
        ...(first === undefined
          ? []
          : [
              {
                command: kubectl(
                  '-n',
                  namespace,
                  'get',
                  'pods',
                  '-o',
                  'wide',
                  '-l',
                  `${INGRESS_NODE_LABEL}=${nodeLabel(first.name)}`,
                ),
                note: `the pods of ${first.name}`,
              },
            ]),
        { command: rollout('undo'), note: 'go back to the revision before; the stuck nodes first' },
        { command: rollout('retry'), note: 'try the stuck nodes once more' },
        ...(first === undefined
          ? []
          : [
              {
                command: rollout('skip', '--node', first.name),
                note: `do not count ${first.name} as a failure; it stays as it is`,
              },
            ]),
      ]
    }
    case 'RolledBack':
      return [
        { command: rollout('history'), note: 'the revisions that there are' },
        { command: rollout('undo'), note: 'take the revision that the nodes have into the template' },
        { command: rollout('retry'), note: 'roll the template out once more' },
      ]
    case 'RollbackRefused':
      return [{ command: rollout('history'), note: 'the revisions that there are' }]
    default:
      return []
  }
}
