import { INGRESS_NODE_LABEL } from '../../ground/model/ingress-keys.ts'
import type { ObjectRef } from '../../ground/model/object-ref.ts'
import { nodeLabel } from '../../ground/model/owned/node-names.ts'
import { type Block, type BlockRow, blockLines } from '../../ground/text/labelled-block.ts'
import type { Line } from '../../ground/text/terminal/style.ts'
import type { CheckedIngress } from '../decide/ingress-kind.ts'
import type { RolloutStanding } from '../decide/rollout/standing.ts'
import type { Commands } from './rollout-place.ts'
import { countsText } from './status-lines.ts'

/** Why the command ends. */
export type StatusEnd = 'settled' | 'looked once' | 'timeout' | 'interrupted'

interface Ended {
  readonly object: CheckedIngress
  readonly standing: RolloutStanding
  readonly end: StatusEnd
  readonly unled?: string | undefined
  readonly commands: Commands
  /** Of the controller. */
  readonly lease: ObjectRef
}

interface Step {
  readonly command: string
  readonly note: string
}

const HELD = 3

/** 0 done; 1 it failed; 3 it does not go on without a person, or was not done when the command ended. */
export const exitOf = ({ kind }: Pick<RolloutStanding, 'kind'>): number =>
  kind === 'done' ? 0 : kind === 'failed' ? 1 : HELD

export function endLines(ended: Ended, columns: number): readonly Line[] {
  const { object, standing, unled } = ended
  const steps = nextSteps(ended)
  const rows: readonly BlockRow[] = [
    ...(unled === undefined ? [] : [{ label: 'why', texts: [unled] }]),
    ...(standing.kind === 'done' ? [] : [{ label: 'state', texts: [countsText(object)] }]),
    ...(steps.length === 0 ? [] : [{ label: 'next', texts: steps }]),
  ]
  return blockLines({ ...headOf(ended), rows }, columns)
}

function headOf({ object, standing, end }: Ended): Omit<Block, 'rows'> {
  const at = `${object.namespace}/${object.name}`
  const title = `${at}: ${standing.why}`
  if (end === 'interrupted') return { word: 'INTERRUPTED', tone: 'hold', title: `${title}. The rollout itself goes on` }
  if (standing.kind === 'done') return { word: 'DONE', title }
  if (standing.kind === 'failed') return { word: 'STOPPED', tone: 'stop', title }
  if (end === 'timeout')
    return { word: 'HELD', tone: 'hold', title: `${at} is not done within --timeout: ${standing.why}` }
  return standing.kind === 'held' ? { word: 'HELD', tone: 'hold', title } : { word: 'GOING', tone: 'work', title }
}

/** Commands that help where it stands. */
export function nextSteps({ object, standing, unled, commands, lease, end }: Ended): readonly Step[] {
  const led = unled === undefined && standing.kind !== 'unseen' ? [] : controllerSteps(commands, lease)
  return [...led, ...stepsOf(object, standing, commands), ...(end === 'settled' ? [] : againSteps(standing, commands))]
}

const controllerSteps = ({ kubectl }: Commands, { namespace }: ObjectRef): readonly Step[] => [
  { command: kubectl('-n', namespace, 'get', 'pods,leases'), note: 'the controller, which has to run with --ingress' },
]

const againSteps = ({ kind }: RolloutStanding, { rollout }: Commands): readonly Step[] =>
  kind === 'going' || kind === 'unseen' ? [{ command: rollout('status'), note: 'follow it' }] : []

function stepsOf(
  { namespace }: CheckedIngress,
  { code, nodes }: RolloutStanding,
  { rollout, kubectl }: Commands,
): readonly Step[] {
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
                note: `do not count ${first.name} as a failure; it stays out and keeps its slot`,
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
