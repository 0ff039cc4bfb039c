import type { ObjectKind } from '../../ground/model/object-kind.ts'
import { parseRollObject, type RollObject } from './roll-object.ts'

export const ROLLS: ObjectKind<RollObject> = {
  group: 'evenkeel.dev',
  version: 'v1alpha1',
  resource: 'rolls',
  kind: 'Roll',
  namespaced: true,
  parse: parseRollObject,
}
