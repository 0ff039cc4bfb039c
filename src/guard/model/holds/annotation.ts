import { annotationKey } from '../../../ground/model/schema/annotation-key.ts'
import { object } from '../../../ground/model/schema/open-api.ts'
import type { HoldKind } from './hold-kind.ts'

/** An annotation of the Node, which holds it while it is there. */
interface AnnotationHold {
  readonly key: string
}

export const annotation: HoldKind<AnnotationHold> = {
  schema: object(
    'An annotation of the Node. It holds the node while it is there, whatever its value.',
    { key: annotationKey('Key of the annotation. Example: storage.example.com/busy.') },
    { required: ['key'] },
  ),
  parse: (field) => ({ key: field.at('key').text() }),
  clearText: ({ key }, node) => `clear when Node ${node} does not have the annotation ${key}`,
}
