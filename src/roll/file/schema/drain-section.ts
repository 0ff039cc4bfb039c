import { z } from 'zod'
import { blockedField } from './blocked-field.ts'
import { durationField } from './duration-field.ts'
import { politeField } from './polite-field.ts'
import { fieldMeta, section } from './section.ts'
import { selectorField } from './selector-field.ts'
import { switchField } from './switch-field.ts'

export const detachSection = section(
  {
    idleLimit: durationField({
      description:
        'How long open sessions of a detached node may last. Sessions left after that are cut and counted, if the balancer can cut them; otherwise they end with the pods of the node.',
      from: '1s',
      to: '24h',
    }).prefault('3min'),
  },
  'Taking a node out of its balancers.',
)

export const drainSection = section(
  {
    firstStage: selectorField({
      description: 'Pods that leave first, besides those with persistent volumes, which always do.',
      example: 'tier=database',
    }).exactOptional(),
    daemonSets: z
      .array(selectorField({ description: 'Labels of DaemonSet pods.', example: 'app=edge-proxy' }))
      .meta(
        fieldMeta('list', {
          description:
            'DaemonSet pods that other nodes still send traffic to. They leave after the pods of other workloads, in a separate stage.',
          example: ['app=edge-proxy'],
        }),
      )
      .prefault([]),
    deleteEmptyDirData: switchField('Evict pods that keep data in an emptyDir; the data is lost.', false),
    deleteUnmanaged: switchField('Evict pods that no controller starts again elsewhere.', false),
    grace: durationField({
      description: 'Grace period instead of the one that each pod specifies. Whole seconds.',
      from: '1s',
      to: '24h',
      wholeSeconds: true,
    }).exactOptional(),
    polite: politeField.exactOptional(),
    preferDone: switchField(
      'Mark the nodes still to come with the taint `evenkeel.dev/to-be-rolled:PreferNoSchedule`, so that evicted pods go to nodes that are done and move less often.',
      false,
    ),
    blocked: blockedField.exactOptional(),
    safeToEvict: z
      .enum(['ignore', 'warn', 'hold'])
      .meta(
        fieldMeta('word', {
          description:
            'What to do about pods with the annotation `cluster-autoscaler.kubernetes.io/safe-to-evict: "false"` or `karpenter.sh/do-not-disrupt: "true"`, such as jobs that cannot continue elsewhere: nothing, a warning in the plan, or do not begin their node until they are gone.',
          example: 'hold',
        }),
      )
      .prefault('warn'),
    blockedLimit: durationField({
      description:
        'How long a blocked step may hold the roll before the reboot is announced: a refused eviction, a slot that another run holds, an instance that does not answer. After that the node is restored and the roll is held. A slot is waited for at least `slots.leaseDuration`, or what its own Lease says if that is longer, and 30 s more, so that an abandoned one is taken over.',
      from: '1s',
      to: '24h',
    }).prefault('10min'),
    stageLimit: durationField({
      description:
        'How long one stage may take, from its first eviction until all its workloads have their replicas again.',
      from: '1s',
      to: '24h',
    }).prefault('30min'),
  },
  'Moving the pods of a node elsewhere.',
)
