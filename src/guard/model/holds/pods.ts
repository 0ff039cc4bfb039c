import { present } from '../../../ground/model/present.ts'
import { pathPart } from '../../../ground/model/schema/api-names.ts'
import { labels } from '../../../ground/model/schema/label-schema.ts'
import { object } from '../../../ground/model/schema/open-api.ts'
import { labelText } from '../label-text.ts'
import type { HoldKind } from './hold-kind.ts'

/** Pods on the node; `namespace` absent: of all namespaces. */
interface PodsHold {
  readonly namespace?: string
  readonly selector: Readonly<Record<string, string>>
}

export const pods: HoldKind<PodsHold> = {
  schema: object(
    'Pods on the node, except pods that have ended.',
    {
      namespace: pathPart('namespace', 'Their namespace. By default, pods of every namespace hold the node.', {
        minLength: 1,
      }),
      selector: labels('Labels that they have, all of them. Example: {app: database}.', { minProperties: 1 }),
    },
    { required: ['selector'] },
  ),
  parse: (field) => ({
    ...present({ namespace: field.at('namespace').optionalText() }),
    selector: field.at('selector').textMap(),
  }),
  clearText: ({ namespace, selector }, node) =>
    `clear when no pod ${labelText(selector)} of ${namespace === undefined ? 'any namespace' : `namespace ${namespace}`} is on ${node}`,
}
