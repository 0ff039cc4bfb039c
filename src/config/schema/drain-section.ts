import { z } from 'zod'
import { durationField } from './duration-field.ts'
import { fieldMeta, section } from './section.ts'
import { selectorField } from './selector-field.ts'
import { switchField } from './switch-field.ts'

export const detachSection = section(
  {
    idleLimit: durationField({
      description: 'How long open sessions of a detached node may last; what is left then is cut and counted.',
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
            'DaemonSet pods that other nodes still send traffic to: they leave in a last stage of their own.',
          example: ['app=edge-proxy'],
        }),
      )
      .prefault([]),
    deleteEmptyDirData: switchField('Evict pods that keep data in an emptyDir; the data is lost.', false),
    deleteUnmanaged: switchField('Evict pods that no controller will start again elsewhere.', false),
    grace: durationField({
      description: 'Grace period in place of the one each pod asks for. Whole seconds.',
      from: '1s',
      to: '24h',
      wholeSeconds: true,
    }).exactOptional(),
    blockedLimit: durationField({
      description:
        'How long anything that refuses or blocks a step may hold the roll before the intent of a reboot: an eviction that is refused, a slot that is taken, a silent instance. Then the node is restored and the roll is held.',
      from: '1s',
      to: '24h',
    }).prefault('10min'),
    stageLimit: durationField({
      description: 'How long one stage may take, from its first eviction until its workloads are back to strength.',
      from: '1s',
      to: '24h',
    }).prefault('30min'),
  },
  'Moving the pods of a node elsewhere.',
)
