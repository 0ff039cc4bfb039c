import { crdSchema } from '../../ground/model/schema/crd-schema.ts'
import { rulesOf } from '../../ground/model/schema/field-rule.ts'
import {
  choice,
  type Fields,
  flag,
  integer,
  list,
  object,
  type Schema,
  text,
} from '../../ground/model/schema/open-api.ts'
import { type JsonSchema, rollFileJsonSchema } from '../../roll/file/roll-file-json-schema.ts'
import { ROLL_STATES } from '../decide/roll-answer.ts'
import { STATE_WORDS } from '../model/run-state.ts'
import { explainedField } from './explained-field.ts'

/** Names of Jobs and pods are made from it. */
const NAME_MAX = 40
const NODES_MAX = 5_000

/** A field that takes values of several types has no type here, and a typing error is no reason to drop a field: the controller says what is wrong. */
const ANY = { 'x-kubernetes-preserve-unknown-fields': true } as const

function structural(field: JsonSchema, isRequired = false): Schema {
  const { type, properties, items, additionalProperties } = field
  const description = explainedField(field, isRequired)
  const about = description === '' ? {} : { description }
  if (field.anyOf !== undefined || type === undefined) return { ...about, ...ANY }
  switch (type) {
    case 'object':
      if (properties !== undefined) return { ...about, type, ...ANY, properties: eachField(field) }
      return typeof additionalProperties === 'object'
        ? { ...about, type, additionalProperties: structural(additionalProperties) }
        : { ...about, type, ...ANY }
    case 'array':
      return { ...about, type, items: items === undefined ? ANY : structural(items) }
    case 'string':
    case 'boolean':
    case 'integer':
      return { ...about, type }
    default:
      return { ...about, ...ANY }
  }
}

const eachField = ({ properties = {}, required = [] }: JsonSchema): Fields =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([, field]) => field.title !== 'not yet')
      .map(([name, field]) => [name, structural(field, required.includes(name))]),
  )

const requests: Fields = {
  paused: flag(
    'While it is true, no further node is begun. A node that was begun before goes on until it is back in service. It may be changed at any time.',
  ),
  approval: choice(
    'With `perNode`, a node is begun only once `approved` names it. After the run has begun, a change of this field has no effect.',
    ['none', 'perNode'],
  ),
  approved: list(
    'With `approval: perNode`: the nodes that may be begun. `all` stands for every node. Names may be added at any time. Example: [n1, n2].',
    text('The name of a node, or `all`.', { maxLength: 253 }),
    { maxItems: NODES_MAX, 'x-kubernetes-list-type': 'set' },
  ),
  abort: flag(
    'Set it to true to end the run: no further node is begun, and the nodes that are out are put back. A run that has ended so does not begin again.',
  ),
}

const rulesAt = rulesOf({
  name: {
    field: 'metadata.name',
    message: `the name is longer than ${NAME_MAX} characters, and names of Jobs and pods are made from it`,
    fix: `choose a name of at most ${NAME_MAX} characters`,
  },
})

const OBJECT_RULES = rulesAt('', {
  name: [
    `size(self.metadata.name) <= ${NAME_MAX}`,
    (self) => self.at('metadata').at('name').textOr('').length <= NAME_MAX,
  ],
})

export const time = (about: string): Schema => text(about, { format: 'date-time' })

export const conditions: Schema = list(
  'Progressing, Held, Stopped and Succeeded for people and scripts; Reconciling and Stalled for kstatus.',
  object(
    'One condition.',
    {
      type: text('Its type.'),
      status: text('True or False.'),
      reason: text('Why, as a code of docs/troubleshooting.md.'),
      message: text('Why, in sentences.'),
      lastTransitionTime: time('When its status changed.'),
      observedGeneration: integer('The generation that it is about.', { format: 'int64' }),
    },
    { required: ['type', 'status'] },
  ),
  { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] },
)

const status = object('What became of it. Written by the controller.', {
  observedGeneration: integer('The generation of the Roll that the status is about.', { format: 'int64' }),
  state: text(
    'Its state in one word. Held: something holds it, and message says what. Stopped: the run has ended, and not with success.',
    { enum: ROLL_STATES },
  ),
  message: text('Why it is in this state, and what to do where a person can help.'),
  run: text('The name of its run, as `evenkeel roll status` takes it.'),
  job: text('The Job whose pod does the work.'),
  startedAt: time('When the run began.'),
  endedAt: time('When the run ended.'),
  nodesTotal: integer('How many nodes the run has.'),
  nodesDone: integer('How many of them are done and in service.'),
  podsMoved: integer('How many pods had to move.'),
  requestsSent: integer('How many requests of the probes were sent.', { format: 'int64' }),
  requestsFailed: integer('How many of them failed.', { format: 'int64' }),
  truncated: flag('There are more such nodes than are listed.'),
  nodes: list(
    'Nodes that are in work or out, that lost requests, or that were left otherwise than in service.',
    object(
      'One node.',
      {
        name: text('Its name.'),
        state: text('Its state.', { enum: Object.values(STATE_WORDS) }),
        step: text('The step that it is in.'),
        since: time('Since when.'),
        requestsFailed: integer('How many requests failed while it was in work.', { format: 'int64' }),
        podsMoved: integer('How many pods had to leave it.'),
        message: text('What it waits for, or what became of it.'),
      },
      { required: ['name', 'state'] },
    ),
    { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
  ),
  conditions,
})

const rollFields = (): Fields => eachField(rollFileJsonSchema().properties?.spec ?? {})

const FORMS =
  'Durations are texts with a unit, such as 500ms, 30s, 10min or 2h. Where a field speaks of this machine, it is the pod of the run. A command, a file, a variable, an image or a host of ssh is refused unless an administrator allows that very value (docs/rolls.md#allowed).'

/** The fields of a Roll; `about` is what is said of them first. */
export const rollSpec = (about: string): Schema => object(`${about} ${FORMS}`, { ...requests, ...rollFields() }, ANY)

/** The schema of a Roll: the `spec` of a roll file, the requests of people, and the status. */
function rollSchema(): Schema {
  return {
    description:
      'Roll takes nodes out of service one after another, reboots them, and brings each back with proof. It begins as soon as it is applied, in the namespace of the controller. `kubectl get rolls -w` shows how far it is, `kubectl describe roll NAME` what it waits for, and `kubectl wait roll NAME --for=condition=Succeeded` waits for its end. If it is deleted meanwhile, the nodes that are out are put back first.',
    type: 'object',
    required: ['spec'],
    properties: {
      apiVersion: text('The version of this format.'),
      kind: text('Always Roll.'),
      metadata: { type: 'object', properties: { name: { type: 'string' } } },
      spec: rollSpec(
        'What to do, to which nodes, and how it is measured: the spec of a roll file (docs/roll-file.md), so that one file works for the command and for kubectl. Four fields are for people while it is under way: paused, approval, approved and abort. Changes of others have no effect once the run has begun.',
      ),
      status,
    },
    rules: OBJECT_RULES,
  }
}

export const column = (name: string, jsonPath: string, type = 'string'): object => ({ name, jsonPath, type })
/** Only with `-o wide`. */
export const wide = (of: object): object => ({ ...of, priority: 1 })

/** The CustomResourceDefinition of Rolls. */
export const rollCrd = () =>
  crdOf(
    { plural: 'rolls', singular: 'roll', kind: 'Roll', listKind: 'RollList' },
    [
      column('Nodes', '.status.nodesTotal', 'integer'),
      column('Done', '.status.nodesDone', 'integer'),
      column('Failed', '.status.requestsFailed', 'integer'),
      column('State', '.status.state'),
      column('Age', '.metadata.creationTimestamp', 'date'),
      wide(column('Sent', '.status.requestsSent', 'integer')),
      wide(column('Message', '.status.message', 'string')),
    ],
    rollSchema(),
  )

/** A CustomResourceDefinition of this group. */
export const crdOf = (
  names: { readonly plural: string; readonly kind: string } & Readonly<Record<string, unknown>>,
  columns: readonly object[],
  schema: Schema,
) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${names.plural}.evenkeel.dev` },
  spec: {
    group: 'evenkeel.dev',
    scope: 'Namespaced',
    names,
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: columns,
        schema: { openAPIV3Schema: crdSchema(schema) },
      },
    ],
  },
})
