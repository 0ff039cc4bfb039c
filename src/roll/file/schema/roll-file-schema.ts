import { z } from 'zod'
import { machinesToApplyTo } from './applies-to-field.ts'
import { balancersSection } from './balancers-section.ts'
import { dnsSection } from './dns-section.ts'
import { detachSection, drainSection } from './drain-section.ts'
import { gatesField } from './gates-field.ts'
import { hooksField } from './hooks-field.ts'
import { hostInstances } from './hosts-rules.ts'
import { hostsSection } from './hosts-section.ts'
import { nodesSection } from './nodes-section.ts'
import { onlyOneYet } from './not-yet-field.ts'
import { notifyField } from './notify-field.ts'
import { wholeNumberField } from './number-field.ts'
import { baselineSection, probesSection } from './probes-section.ts'
import { rebootSection } from './reboot-section.ts'
import { attachSection, settleSection, soakField } from './return-sections.ts'
import { fieldMeta, section } from './section.ts'
import { silencesField } from './silences-field.ts'
import { slotsSection } from './slots-section.ts'
import { stopAgainstProbes } from './stop-against-probes.ts'
import { stopSection } from './stop-section.ts'
import { switchField } from './switch-field.ts'
import { nameField, textField } from './text-field.ts'
import { windowSection } from './window-section.ts'

const metadataSection = section(
  {
    name: nameField({ description: 'Name of this roll, for people.', example: 'prod-eu1' }),
    namespace: textField({
      title: 'name',
      pattern: /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
      rule: 'lower-case letters, digits and "-"',
      maxLength: 63,
      description:
        'Of a Roll that is applied to the cluster (docs/rolls.md). The command `evenkeel roll` does not read it.',
      example: 'evenkeel',
    }).exactOptional(),
  },
  'The name of the roll.',
)

const announceSection = section(
  {
    conditions: switchField(
      'Say by conditions of the Node what the roll does to it, as KEP-5683 names them: `MaintenancePlanned`, `DrainInProgress`, `Drained`, `MaintenanceInProgress`. They are removed before the node serves again. It takes the rights of `deploy/roll-announce-rbac.yaml`; a write that fails is a warning.',
      false,
    ),
  },
  'What the roll announces on the nodes to other programs.',
)

const specSection = section(
  {
    nodes: nodesSection.prefault({}),
    slots: slotsSection.prefault({}),
    balancers: balancersSection,
    detach: detachSection.prefault({}),
    drain: drainSection.prefault({}),
    reboot: rebootSection.prefault({}),
    dns: dnsSection.prefault({}),
    settle: settleSection.prefault({}),
    attach: attachSection.prefault({}),
    soak: soakField,
    probes: probesSection,
    baseline: baselineSection.prefault({}),
    stop: stopSection.exactOptional(),
    gates: gatesField.exactOptional(),
    hooks: hooksField.exactOptional(),
    silences: silencesField.exactOptional(),
    announce: announceSection.prefault({}),
    notify: notifyField.exactOptional(),
    window: windowSection.exactOptional(),
    hosts: hostsSection.exactOptional(),
    parallel: wholeNumberField(
      {
        description:
          'How many nodes the roll works on at the same time. The node budget (`slots`) must allow as many. One failure stops the work on all of them.',
        example: 2,
      },
      { from: 1, to: 100 },
    ).prefault(1),
    zones: z
      .enum(['any', 'oneAtATime'])
      .meta(
        fieldMeta('word', {
          description:
            'With `oneAtATime`, the nodes that the roll works on at the same time are all of one zone, by their label topology.kubernetes.io/zone.',
          example: 'oneAtATime',
        }),
      )
      .prefault('any'),
    maxUnavailable: onlyOneYet('for several nodes at a time, use `parallel`'),
  },
  'What to do, to which nodes, and how it is measured.',
).superRefine(
  (spec, context) => {
    hostInstances(spec, context)
    machinesToApplyTo(spec, context)
    for (const complaint of stopAgainstProbes(spec)) context.addIssue({ code: 'custom', ...complaint })
  },
  { when: () => true },
)

/** A whole roll.yaml: its only definition. Types, error texts, reference and JSON schema are made from it. */
export const rollFileSchema = section(
  {
    apiVersion: z
      .literal('evenkeel.dev/v1alpha1')
      .meta(fieldMeta('word', { description: 'Version of this file format.', example: 'evenkeel.dev/v1alpha1' })),
    kind: z.literal('Roll').meta(fieldMeta('word', { description: 'Always Roll.', example: 'Roll' })),
    metadata: metadataSection,
    spec: specSection,
  },
  'One pass over many nodes.',
)

export type RollFile = z.output<typeof rollFileSchema>
