import { labels } from '../../../ground/model/schema/label-schema.ts'
import { choice, type Fields, flag, integer, object, type Schema, text } from '../../../ground/model/schema/open-api.ts'
import { GUARD_DEFAULTS as D } from '../../model/guard-defaults.ts'
import { OBJECT_RULES, SPEC_RULES } from './guard-rules.ts'
import { guardStatusSchema } from './guard-status-schema.ts'
import { holds } from './hold-schema.ts'

const DAY = 86_400

/** The schema of a NodeGuard. */
export const guardSchema = (): Schema => ({
  description:
    'NodeGuard keeps a pod on each node that resists eviction, so that nodes are drained one by one, and each only when its holds are clear.',
  type: 'object',
  required: ['spec'],
  properties: {
    apiVersion: { type: 'string', description: 'The version of the schema.' },
    kind: { type: 'string', description: 'NodeGuard.' },
    // Said for the rule of the name, whose place it is.
    metadata: { type: 'object', properties: { name: { type: 'string' } } },
    spec: object(
      'The desired state: which nodes are guarded, how, and what holds them.',
      { ...target(), ...drains(), ...pods(), holds: holds() },
      { required: ['follow'], rules: SPEC_RULES },
    ),
    status: guardStatusSchema(),
  },
  rules: OBJECT_RULES,
})

const target = (): Fields => ({
  follow: object(
    'Which nodes have a guard: the nodes of a DaemonSet, or the nodes with some labels. Set exactly one of the two.',
    {
      daemonSet: object(
        'A DaemonSet in the namespace of the guard. Its selectors, affinity and tolerations are followed as they change.',
        { name: text('Name of the DaemonSet. Example: storage-node.', { minLength: 1, maxLength: 253 }) },
        { required: ['name'] },
      ),
      nodeSelector: labels('Labels that a node must have, all of them. {} is every node.'),
    },
  ),
  onTargetGone: choice(
    'What happens when the DaemonSet is deleted. Keep leaves the guards where they are; Remove removes them. Defaults to Keep.',
    ['Keep', 'Remove'],
  ),
})

const drains = (): Fields => ({
  mode: choice(
    'How evictions are refused. PerNode: a Deployment and a PodDisruptionBudget for each node, of which exactly one is opened at a time. Budget: one Deployment with a pod on each node and one PodDisruptionBudget over all of them, which stays closed: the controller itself removes the pod of the node that is granted, since a budget that lets one pod go would let any of them go. It cannot be changed, because every guard would have to be created again. Defaults to PerNode.',
    ['PerNode', 'Budget'],
  ),
  group: text(
    `The guards of a group in the cluster grant one node at a time. The field cannot be changed, because a node that is being drained would lose its slot. Defaults to ${D.group}. Example: storage.`,
    { minLength: 1, maxLength: 63, default: D.group },
  ),
  grantTimeoutSeconds: integer(
    `In mode PerNode, seconds from the grant of a node until its guard has to be evicted. Then the grant ends and the node asks again, after the others. From 10 to ${DAY}; defaults to ${D.grantTimeoutSeconds}.`,
    { minimum: 10, maximum: DAY, default: D.grantTimeoutSeconds },
  ),
  maxHold: object(
    'What happens to a node that is held for long. By default, the node is held until its holds are clear.',
    {
      seconds: integer('Seconds since the node asked. From 60 to 31536000.', { minimum: 60, maximum: 31_536_000 }),
      policy: choice(
        'Wait keeps holding the node, and reports it in an Event and a condition; Release grants the node in its turn, even if it is still held. Defaults to Wait.',
        ['Wait', 'Release'],
      ),
    },
    { required: ['seconds'] },
  ),
  pendingReplacement: choice(
    'In mode Budget, what becomes of the pod that replaces an evicted guard and cannot be placed. ScaleDown removes it, so that no autoscaler adds a node for it; KeepPending leaves it. Defaults to ScaleDown.',
    ['ScaleDown', 'KeepPending'],
  ),
})

const pods = (): Fields => ({
  template: {
    description:
      'The guard pod, as in a Deployment. Labels, affinity to the node and tolerations are added to it. Defaults to one small container of spec.image.',
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
  },
  image: text(`Image of the default pod. Defaults to ${D.image}.`, { minLength: 1, maxLength: 1_024 }),
  priorityClassName: text(
    'Priority class of the guard pods, so that they are placed where a node is full. Example: system-node-critical.',
    { minLength: 1, maxLength: 253 },
  ),
  minReadySeconds: integer(
    `Seconds that a guard has to be ready for before its node counts as guarded again. From 0 to ${DAY}; defaults to ${D.minReadySeconds}.`,
    { minimum: 0, maximum: DAY, default: D.minReadySeconds },
  ),
  resistDeletion: flag(
    'The second lock, against tools that delete pods instead of evicting them: guard pods get the finalizer evenkeel.dev/guard, so that one that is deleted stays until its node is granted. Defaults to false.',
    { default: false },
  ),
})
